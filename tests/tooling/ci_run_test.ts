import { assertEquals } from "@std/assert";
import { runProcess } from "../../scripts/process.ts";

/** Stands in for npx: notes when a call begins and ends, prints three lines, and leaves a report of one test. */
const FAKE_NPX = `#!/bin/sh
shift 2
[ "$1" = run ] && exec "$REAL_DENO" "$@"
echo "begin $2" >>"$CALLS"
echo "$2 begins"
sleep 0.05
echo "$2 goes on"
for argument; do
  case $argument in
    --junit-path=*) echo '<testsuite name="a"><testcase name="b"></testcase></testsuite>' >"\${argument#*=}" ;;
  esac
done
echo "$2 ends"
echo "end $2" >>"$CALLS"
[ "$2" != "$FAILING_TASK" ]
`;

/** Nothing has to be installed, since all of it is there. */
const INSTALLED = ["CHROMIUM", "FIREFOX", "WEBKIT_DRIVER", "XVFB", "NATS_SERVER"];

/** Steps that measure time. */
const MEASURES = ["step-cost", "test:faults", "bench:report"];

async function runCi(
  failingTask = "none",
): Promise<{ code: number; lines: readonly string[]; calls: readonly string[] }> {
  const directory = await Deno.makeTempDir();
  for (const name of ["npx", "ps"]) await Deno.writeTextFile(`${directory}/${name}`, FAKE_NPX, { mode: 0o755 });
  const { code, output } = await runProcess(".ci/run", {
    args: [],
    env: {
      ...Object.fromEntries(INSTALLED.map((name) => [name, "/bin/sh"])),
      PATH: `${directory}:${Deno.env.get("PATH")}`,
      CALLS: `${directory}/calls`,
      REAL_DENO: Deno.execPath(),
      FAILING_TASK: failingTask,
    },
    isQuiet: true,
  });
  const calls = (await Deno.readTextFile(`${directory}/calls`)).trim().split("\n");
  await Deno.remove(directory, { recursive: true });
  return { code, lines: output.trim().split("\n"), calls };
}

Deno.test(".ci/run ends with the sum of the tests that ran, and runs what measures time alone", async () => {
  const { code, lines, calls } = await runCi();

  assertEquals([code, lines.at(-1)], [0, "6 passed, 0 failed"]);
  assertEquals(calls.slice(-6), MEASURES.flatMap((task) => [`begin ${task}`, `end ${task}`]));
});

Deno.test(".ci/run goes on after a step that failed, shows each step's lines together, and fails", async () => {
  const { code, lines, calls } = await runCi("test:browser");

  const end = lines.findIndex((line) => line.startsWith("== browser: failed after"));
  assertEquals(lines.slice(end + 1, end + 4), ["test:browser begins", "test:browser goes on", "test:browser ends"]);
  assertEquals([code, lines.at(-1)], [1, "6 passed, 1 failed"]);
  assertEquals(calls.filter((call) => call.startsWith("end test:")).length, 6);
});
