/**
 * The signals of a service manager, to whatever process it started.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { type IngestProcessOptions, startIngest } from "./ingest_process.ts";
import { startLoad, until } from "./load.ts";
import { bundleOnce, DIRECTORY, KEY_ARGS, MEMORY_ARGS, testBoth, testBothWithSqlite } from "./program.ts";

/** Where a server puts its events, and what is there once it has ended. */
interface Store extends AsyncDisposable {
  readonly sink: string;
  readonly ids: () => readonly string[];
}

function createFile(): Store {
  const path = `${DIRECTORY}/${crypto.randomUUID()}.db`;
  return {
    sink: `sqlite:${path}`,
    ids: () => {
      using database = new DatabaseSync(path);
      return database.prepare("SELECT event ->> '$.id' AS id FROM events").all().map(({ id }) => String(id));
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** For Node 20, which has no SQLite: an endpoint that takes its time. */
function createEndpoint(): Store {
  const ids: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    if (request.method !== "POST") return new Response(null, { status: 204 });
    const { events } = await request.json();
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (const { id } of events) ids.push(id);
    return Response.json({ accepted: events.length, duplicates: 0 }, { status: 202 });
  });
  return {
    sink: `forward:http://127.0.0.1:${server.addr.port}/v1/events`,
    ids: () => ids,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

interface EndOptions extends IngestProcessOptions {
  readonly signal: Deno.Signal;
  readonly createStore: () => Store;
}

/** Ends a server under load, and checks that it ends as it should. Returns the exit code of what was started. */
async function endUnderLoad({ signal, createStore, ...options }: EndOptions): Promise<number> {
  await using store = createStore();
  const ingest = await startIngest([...KEY_ARGS, "--sink", store.sink], options);
  const load = startLoad({ endpoint: () => ingest.endpoint, prefix: "end", senders: 4, batchSize: 5 });
  await until("acknowledged", () => load.acknowledged.size >= 100);

  const ending = ingest.end(signal);
  let hasEnded = false;
  ending.finally(() => hasEnded = true);
  await until("the ingest has ended", () => hasEnded);
  await load.stop();
  const { code, stdout } = await ending;

  const messages = stdout.trim().split("\n").map((line) => JSON.parse(line).message);
  assertEquals(messages, ["listening", "stopping", "stopped"]);
  assertEquals([...load.acknowledged.difference(new Set(store.ids()))], []);
  assert([...load.statuses.keys()].every((status) => [202, 503, 0].includes(status)));
  return code;
}

const TASK = { command: Deno.execPath(), args: ["task", "--quiet", "ingest"] } as const;

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`${signal} to the deno binary ends the ingest, and nothing acknowledged is lost`, async () => {
    assertEquals(await endUnderLoad({ signal, createStore: createFile }), 0);
  });

  Deno.test(`${signal} to the node binary ends the ingest, and nothing acknowledged is lost`, async () => {
    const nodeProgram = await bundleOnce();
    assertEquals(await endUnderLoad({ signal, createStore: createEndpoint, nodeProgram }), 0);
  });

  Deno.test(`${signal} to deno task ends the ingest, and nothing acknowledged is lost`, async () => {
    assertEquals(await endUnderLoad({ signal, createStore: createFile, launcher: TASK }), 0);
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
  const cwd = await createProject("vendor-ingest", `#!/bin/sh\nexec node ${await bundleOnce()} "$@"\n`);

  const launcher = { command: "npx", args: ["--no-install", "vendor-ingest"], cwd } as const;
  await endUnderLoad({ signal: "SIGTERM", createStore: createEndpoint, launcher });
});

Deno.test("SIGTERM to npx that runs deno task ends the ingest, and nothing acknowledged is lost", async () => {
  // As the npm package of Deno does it.
  const [deno, root] = [Deno.execPath(), fileURLToPath(new URL("../../", import.meta.url))].map((path) =>
    JSON.stringify(path)
  );
  const start = `spawnSync(${deno}, process.argv.slice(2), { cwd: ${root}, stdio: "inherit" })`;
  const cwd = await createProject("deno", `#!/usr/bin/env node\nrequire("node:child_process").${start};\n`);

  const launcher = { command: "npx", args: ["--no-install", "deno", ...TASK.args], cwd } as const;
  await endUnderLoad({ signal: "SIGTERM", createStore: createFile, launcher });
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

testBothWithSqlite("writes nothing but its log", async (options) => {
  const { sink } = createFile();
  const ingest = await startIngest([...KEY_ARGS, "--sink", sink, "--keep", "30d"], options);
  const { stderr } = await ingest.end();

  assertEquals(stderr, "");
});
