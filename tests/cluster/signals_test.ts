/**
 * The signals of a service manager, to whatever process it started.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { type IngestProcessOptions, runIngest, startIngest } from "./ingest_process.ts";
import { readIds } from "./folder_events.ts";
import { startLoad, until } from "./traffic.ts";
import {
  DIRECTORY,
  KEY_ARGS,
  MEMORY_ARGS,
  newFolder,
  prepareNodeWithFolder,
  testBoth,
  testBothWithFolder,
} from "./program.ts";

interface EndOptions extends IngestProcessOptions {
  readonly signal: Deno.Signal;
}

/** Ends a server under load, and checks that it ends as it should. Returns the exit code of what was started. */
async function endUnderLoad({ signal, ...options }: EndOptions): Promise<number> {
  const path = newFolder();
  const ingest = await startIngest([...KEY_ARGS, "--sink", `file:${path}`], options);
  const load = startLoad({ endpoint: () => ingest.endpoint, prefix: "end", senders: 4, batchSize: 5 });
  await until("acknowledged", () => load.acknowledged.size >= 100);

  const ending = ingest.end(signal);
  let hasEnded = false;
  ending.finally(() => hasEnded = true);
  await until("the ingest has ended", () => hasEnded);
  await load.stop();
  const { code, stdout } = await ending;

  const messages = stdout.trim().split("\n").map((line) => JSON.parse(line).message);
  assertEquals(messages, ["listening", "no event is deleted by age", "stopping", "stopped"]);
  assertEquals([...load.acknowledged.difference(new Set(await readIds(path)))], []);
  assert([...load.statuses.keys()].every((status) => [202, 503, 0].includes(status)));
  return code;
}

const TASK = { command: Deno.execPath(), args: ["task", "--quiet", "ingest"] } as const;

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`${signal} to the deno binary ends the ingest, and nothing acknowledged is lost`, async () => {
    assertEquals(await endUnderLoad({ signal }), 0);
  });

  Deno.test(`${signal} to the node binary ends the ingest, and nothing acknowledged is lost`, async () => {
    assertEquals(await endUnderLoad({ signal, ...await prepareNodeWithFolder() }), 0);
  });

  Deno.test(`${signal} to deno task ends the ingest, and nothing acknowledged is lost`, async () => {
    assertEquals(await endUnderLoad({ signal, launcher: TASK }), 0);
  });
}

/** Makes a project with a program of that name, for npx to start. */
async function createProject(name: string, program: string): Promise<string> {
  const bin = `${DIRECTORY}/${name}/node_modules/.bin`;
  await Deno.mkdir(bin, { recursive: true });
  await Deno.writeTextFile(`${DIRECTORY}/${name}/package.json`, '{"private":true}');
  await Deno.writeTextFile(`${bin}/${name}`, program, { mode: 0o755 });
  return `${DIRECTORY}/${name}`;
}

Deno.test("SIGTERM to npx ends the ingest, and nothing acknowledged is lost", async () => {
  const { launcher: node } = await prepareNodeWithFolder();
  const start = [node?.command, ...node?.args ?? []].join(" ");
  const cwd = await createProject("vendor-ingest", `#!/bin/sh\nexec ${start} "$@"\n`);

  const launcher = { command: "npx", args: ["--no-install", "vendor-ingest"], cwd } as const;
  await endUnderLoad({ signal: "SIGTERM", launcher });
});

testBoth("goes on at a SIGHUP where its input is no terminal, as below nohup", async (options) => {
  const ingest = await startIngest(MEMORY_ARGS, options);

  Deno.kill(ingest.pid, "SIGHUP");
  await new Promise((resolve) => setTimeout(resolve, 300));
  const answer = await fetch(`${ingest.origin}/healthz`);
  await answer.text();
  const { code } = await ingest.end();

  assertEquals([answer.status, code], [200, 0]);
});

testBothWithFolder("writes nothing but its log, and its answer to a question", async (options) => {
  const sink = ["--sink", `file:${newFolder()}`];
  const ingest = await startIngest([...KEY_ARGS, ...sink, "--keep", "30d"], options);
  const { stderr } = await ingest.end();
  const answer = await runIngest(["sql", "SELECT count(*) AS n FROM events", ...sink, "--format", "csv"], options);

  assertEquals([stderr, answer.stderr, answer.stdout], ["", "", `"n"\r\n0\r\n`]);
});
