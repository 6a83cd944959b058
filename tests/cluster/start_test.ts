/**
 * What the program says when it can't start.
 *
 * @module
 */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname } from "node:path";
import { runIngest, startIngest } from "./ingest_process.ts";
import { bundleOnce, DIRECTORY, KEY_ARGS, MEMORY_ARGS, newFolder, testBoth } from "./program.ts";

testBoth("says in one line that its port is in use", async (options) => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;

  const { code, stderr } = await runIngest([...MEMORY_ARGS, "--port", `${port}`], options);

  assertEquals([code, stderr], [
    1,
    `ingest: can't listen on 127.0.0.1 port ${port}: the port is in use; choose another with --port\n`,
  ]);
});

Deno.test("ingest on Deno: leaves making the reports' secret to a start that succeeds", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const path = newFolder();
  const args = [...KEY_ARGS, "--sink", `file:${path}`];

  const { code } = await runIngest([...args, "--port", `${listener.addr.port}`]);
  const before = await Deno.stat(`${path}-report-secret`).catch(({ name }) => name);
  await (await startIngest(args)).end();

  assertEquals([code, before, (await Deno.stat(`${path}-report-secret`)).isFile], [1, "NotFound", true]);
});

Deno.test("ingest on Deno: says in one line that its folder can't be written, or no cluster be reached", async () => {
  const path = `${DIRECTORY}/missing/events`;

  const file = await runIngest([...KEY_ARGS, "--sink", `file:${path}`]);
  const nats = await runIngest([...KEY_ARGS, "--sink", "nats:127.0.0.1:1"]);

  assertEquals([file.code, nats.code], [1, 1]);
  assertMatch(file.stderr, /^ingest: the sink can't be used: the folder of events "[^"]+" can't be used: .*\n$/);
  assertMatch(nats.stderr, /^ingest: the sink can't be used: NATS can't be reached at 127\.0\.0\.1:1: .+\n$/);
});

Deno.test("ingest on Node: carries the licence of each package within it, and no path of the machine", async () => {
  const program = await Deno.readTextFile(await bundleOnce());

  assertMatch(program, /valibot [^]+MIT License[^]+Copyright \(c\) Fabian Hiller[^]+WITHOUT WARRANTY OF ANY KIND/);
  for (const name of ["prom-client", "@opentelemetry/api", "tdigest", "bintrees"]) {
    assertMatch(program, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+\n\n.*(?:License|Copyright)`, "m"));
  }
  // A pattern would take minutes over a line of 500 kB.
  assertEquals(program.split("\n").filter((line) => line.includes("/npm/")), []);
});

Deno.test("ingest on Node: says what it needs where there is no NATS client", async () => {
  // No package is beside it.
  const nodeProgram = `${DIRECTORY}/${crypto.randomUUID()}/ingest.mjs`;
  await Deno.mkdir(dirname(nodeProgram));
  await Deno.copyFile(await bundleOnce(), nodeProgram);

  const { code, stderr } = await runIngest([...KEY_ARGS, "--sink", "nats:127.0.0.1:1"], { nodeProgram });

  assertEquals(code, 1);
  assertStringIncludes(stderr, "needs the packages @nats-io/transport-node and @nats-io/jetstream");
});
