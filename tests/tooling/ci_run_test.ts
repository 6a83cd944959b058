import { assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { runProcess } from "../../scripts/support/process.ts";

/** Stands in for npx: notes when a call of a task or a script begins and ends, and prints lines as tests do. */
const FAKE_NPX = `#!/bin/sh
shift 2
name=$2
[ "$1" = run ] && name=$3
echo "begin $name" >>"$CALLS"
echo "$name begins"
sleep 0.05
echo "$name goes on"
echo './a_test.ts => a test about "FAILED | 1 passed | 3 failed" and "ok | 0 passed" ... ok (1ms)'
verdict="ok | 2 passed (3 steps) | 0 failed (5ms)"
[ "$name" = "$FAILING_TASK" ] && verdict=$FAILURE
echo "$verdict"
echo "end $name" >>"$CALLS"
case "$verdict" in ok*) ;; *) exit 1 ;; esac
`;

/** Nothing has to be installed, since all of it is there. */
const INSTALLED = [
  "CHROMIUM",
  "FIREFOX",
  "WEBKIT_DRIVER",
  "XVFB",
  "NATS_SERVER",
  "NGINX",
  "CADDY",
  "PROMTOOL",
  "DOCKER_COMPOSE",
  "SYSTEMD_ANALYZE",
];

/** What each part calls, besides Deno's version. What measures time is the last of it. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  checks: ["test", "ok", "test:types", "test:consumers", "test:costs"],
  browsers: ["test:browser", "test:faults"],
  cluster: ["test:cluster"],
  long: [
    "build:npm",
    "scripts/package/check_reproducible.ts",
    "test:types",
    "bench:report",
    "test:cluster",
    "test:faults",
    "test:faults",
    "bench:report",
  ],
};

/** Parts that run without arguments. */
const GATE = ["checks", "browsers", "cluster"];

interface CiOptions {
  /** The task that fails. */
  readonly failingTask?: string;
  /** What it says at its end. */
  readonly failure?: string;
  /** Parts of the work; all without. */
  readonly parts?: readonly string[];
}

async function runCi(
  { failingTask = "none", failure = "", parts = [] }: CiOptions = {},
): Promise<{ code: number; lines: readonly string[]; calls: readonly string[] }> {
  const directory = await Deno.makeTempDir();
  for (const name of ["npx", "ps"]) await Deno.writeTextFile(`${directory}/${name}`, FAKE_NPX, { mode: 0o755 });
  const { code, output } = await runProcess(".ci/run", {
    args: parts,
    env: {
      ...Object.fromEntries(INSTALLED.map((name) => [name, "/bin/sh"])),
      PATH: `${directory}:${Deno.env.get("PATH")}`,
      CALLS: `${directory}/calls`,
      FAILING_TASK: failingTask,
      FAILURE: failure,
    },
    isQuiet: true,
  });
  const calls = existsSync(`${directory}/calls`) ? Deno.readTextFileSync(`${directory}/calls`).trim().split("\n") : [];
  await Deno.remove(directory, { recursive: true });
  return { code, lines: output.trim().split("\n"), calls };
}

/** Returns the tasks and scripts that were called, in order of the alphabet. */
function listCalled(calls: readonly string[]): readonly string[] {
  return calls.flatMap((call) => call.startsWith("begin ") ? [call.slice("begin ".length)] : []).slice(1).sort();
}

Deno.test(".ci/run does the gate's parts, measures time alone, and ends with the sum of the tests that ran", async () => {
  const { code, lines, calls } = await runCi();

  assertEquals([code, lines.at(-1)], [0, "12 passed, 0 failed"]);
  assertEquals(listCalled(calls), GATE.flatMap((part) => PARTS[part] ?? []).sort());
  const measures = ["test:cluster", "test:costs"];
  assertEquals(calls.slice(-4), measures.flatMap((task) => [`begin ${task}`, `end ${task}`]));
});

for (const [part, tasks] of Object.entries(PARTS)) {
  Deno.test(`.ci/run ${part} runs that part alone, and ends with its sum`, async () => {
    const { code, lines, calls } = await runCi({ parts: [part] });

    assertEquals(listCalled(calls), tasks.toSorted());
    assertEquals([code, /^\d+ passed, 0 failed$/.test(lines.at(-1) ?? "")], [0, true]);
  });
}

Deno.test(".ci/run goes on after a step that failed, shows each step's lines together, and fails", async () => {
  const { code, lines, calls } = await runCi({ failingTask: "test:browser", failure: "error: no browser" });

  const end = lines.findIndex((line) => line.startsWith("== browser: failed after"));
  assertEquals(lines.slice(end + 1, end + 3), ["test:browser begins", "test:browser goes on"]);
  assertEquals(lines[end + 4], "error: no browser");
  assertEquals([code, lines.at(-1)], [1, "10 passed, 1 failed"]);
  assertEquals(listCalled(calls), GATE.flatMap((part) => PARTS[part] ?? []).sort());
});

const FAILURES: readonly (readonly [task: string, line: string, end: string])[] = [
  ["test:consumers", "FAILED | 1 passed (2 steps) | 3 failed (1 step) (9s)", "11 passed, 3 failed"],
  ["test:consumers", "ok | 2 passed | 0 failed | 1 ignored (9s)", "12 passed, 1 failed"],
  ["test:browser", "ok | 0 passed | 0 failed (0ms)", "10 passed, 1 failed"],
  ["test:types", "error: a type is wrong", "12 passed, 1 failed"],
];
for (const [task, line, end] of FAILURES) {
  Deno.test(`.ci/run ends with "${end}" where ${task} says "${line}"`, async () => {
    const { code, lines } = await runCi({ failingTask: task, failure: line });

    assertEquals([code, lines.at(-1)], [1, end]);
  });
}

Deno.test(".ci/run refuses a part that it doesn't know, and runs nothing", async () => {
  const { code, lines, calls } = await runCi({ parts: ["checks", "browser"] });

  assertEquals([code, lines, calls], [2, ["browser is none of checks, browsers, cluster and long"], []]);
});
