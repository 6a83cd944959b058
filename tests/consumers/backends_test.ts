import { assertEquals } from "@std/assert";
import { createIngest, createMemorySink } from "../../src/ingest/mod.ts";
import { prepareApplication } from "./driver/application.ts";
import { runOrThrow } from "./driver/run_or_throw.ts";
import { findFreePort } from "../support/free_port.ts";

const KEY = "pk_test_1";
const SECRET = "ss_0123456789abcdef0123456789abcdef";
const LIMIT_MS = 30_000;

/** A backend that a guide shows. */
interface Backend {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** Starts a backend, sends it the webhook of an order twice, and ends it; returns the answers. */
async function sendTwice({ command, args }: Omit<Backend, "name">, options: {
  readonly cwd: string;
  readonly endpoint: string;
  readonly order: unknown;
  readonly port: number;
}): Promise<readonly number[]> {
  const { cwd, endpoint, order, port } = options;
  const env = {
    VENDOR_KEY: KEY,
    VENDOR_SECRET: SECRET,
    VENDOR_ENDPOINT: endpoint,
    PORT: `${port}`,
    NO_COLOR: "1",
  };
  const child = new Deno.Command(command, { args: [...args], cwd, env, stdin: "null", stdout: "null" }).spawn();
  const statuses: number[] = [];
  const endMs = Date.now() + LIMIT_MS;
  while (statuses.length < 2) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: JSON.stringify(order) });
      await answer.body?.cancel();
      statuses.push(answer.status);
    } catch (error) {
      if (Date.now() > endMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50)); // it starts
    }
  }
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  const { success, signal } = await child.status;
  clearTimeout(timer);
  // workerd has no handler of ours for the signal.
  assertEquals(success || signal === "SIGTERM", true, `${command} ended by ${signal}`);
  return statuses;
}

Deno.test("a webhook that comes twice is stored once, from Node, Deno, Bun and a Worker", async (t) => {
  const { directory: cwd } = await prepareApplication("backends");
  const bundling = ["worker.ts", "--bundle", "--format=esm", "--target=es2022", "--outfile=bundle.js"];
  await runOrThrow("node_modules/.bin/esbuild", { args: bundling, cwd });
  const sink = createMemorySink();
  const keys = [{ apiKey: KEY, origins: ["https://shop.example"], sendingSecrets: { webhooks: SECRET } }];
  const ingest = createIngest({ keys, sink });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const status = /^\/(\d+)$/.exec(new URL(request.url).pathname)?.[1];
    return status === undefined ? await ingest(request) : new Response(null, { status: Number(status) });
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const endpoint = `${origin}/v1/events`;
  const backends: readonly Backend[] = [
    { name: "Node", command: "node", args: ["node.mjs"] },
    {
      name: "Deno",
      command: Deno.execPath(),
      args: ["run", "--no-prompt", "--no-lock", "--quiet", "--no-check", "--allow-net", "--allow-env", "deno.ts"],
    },
    { name: "Bun", command: `${cwd}/node_modules/.bin/bun`, args: ["run", "bun.ts"] },
  ];

  for (const { name, ...backend } of backends) {
    await t.step(name, async () => {
      const order = { id: name, userId: 42, total: 12.5 };
      const send = (address: string) => sendTwice(backend, { cwd, endpoint: address, order, port: findFreePort() });
      assertEquals(await send(endpoint), [204, 204]);
      assertEquals([await send(`${origin}/400`), await send(`${origin}/404`)], [[204, 204], [503, 503]]);
    });
  }
  await t.step("a Worker", async () => {
    const port = findFreePort();
    const worker = {
      command: `${cwd}/node_modules/.bin/workerd`,
      args: ["serve", "workerd.capnp", `--socket-addr=http=127.0.0.1:${port}`],
    };
    const order = { id: "a Worker", total: 12.5 };
    assertEquals(await sendTwice(worker, { cwd, endpoint, order, port }), [204, 204]);
    const endMs = Date.now() + LIMIT_MS;
    // It answers before its steps are stored.
    while ((await sink.events()).length < 4 && Date.now() < endMs) await new Promise((end) => setTimeout(end, 20));
  });
  await server.shutdown();

  const events = await sink.events();
  assertEquals(events.map(({ name, identity, properties }) => ({ name, identity, properties })), [
    ...Array(3).fill({ name: "purchase", identity: { userId: "42" }, properties: { total: 12.5 } }),
    { name: "purchase", identity: { userId: null }, properties: { total: 12.5 } },
  ]);
});
