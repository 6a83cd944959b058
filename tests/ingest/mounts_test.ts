import { assertEquals } from "@std/assert";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createContext, runInContext } from "node:vm";
import * as isbot from "isbot";
import * as valibot from "valibot";
import { SOURCE_ALIASES } from "../../scripts/support/bundle.ts";
import { buildSync } from "../../scripts/support/esbuild.ts";
import { createIngest, createMemorySink, type Ingest, type MemorySink } from "../../src/ingest/mod.ts";
import { assertReadable, assertStored, setUp } from "./answers.ts";
import { AGGREGATE, FULL, headersOf, KEY, manyEvents, ORIGIN, post, URL_OF_INGEST } from "./fixtures.ts";

type NodeListener = Parameters<typeof createServer>[1];

/** Sends what the SDK sends, and what it doesn't, and returns the statuses. */
async function tryOut(send: (path: string, init: RequestInit) => Promise<Response>): Promise<number[]> {
  const body = JSON.stringify({ ...FULL, events: manyEvents(100) });
  const answers = [
    await send("/v1/events", { method: "OPTIONS", headers: { "Origin": ORIGIN } }),
    await send("/v1/events", { method: "POST", headers: headersOf(), body }),
    await send("/v1/events", { method: "POST", headers: headersOf(), body: JSON.stringify(AGGREGATE) }),
    await send("/v1/events", { method: "POST", headers: headersOf({ "X-API-Key": "wrong" }), body }),
    await send("/v1/events", { method: "POST", headers: headersOf(), body: "{" }),
    await send("/v1/events", { method: "POST", headers: headersOf(), body: `${" ".repeat(1_048_576)}{}` }),
    await send("/v1/events", { method: "PUT", headers: headersOf(), body }),
    await send("/v1/events", { method: "GET" }),
  ];
  answers.forEach(assertReadable);
  await Promise.all(answers.map((answer) => answer.text()));
  return answers.map(({ status }) => status);
}

const STATUSES = [204, 202, 202, 401, 400, 413, 405, 405];

/** Runs a listener in Node's http server. */
async function withNodeServer(toListener: (ingest: Ingest) => NodeListener): Promise<void> {
  const { ingest, sink } = setUp();
  const server = createServer(toListener(ingest));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const statuses = await tryOut((path, init) => fetch(`http://127.0.0.1:${port}${path}`, init));

    assertEquals(statuses, STATUSES);
    assertEquals((await sink.events()).length, 101);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

Deno.test({
  name: "createIngest() mounts in Node's http server with @hono/node-server",
  // The adapter leaves timers behind that wait for unread bodies.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () => withNodeServer((ingest) => getRequestListener(ingest)),
});

Deno.test("createIngest() mounts in Hono", async () => {
  const { ingest, sink } = setUp();
  const app = new Hono();
  app.all("/v1/events", (context) => ingest(context.req.raw));

  const statuses = await tryOut((path, init) => Promise.resolve(app.request(`http://localhost${path}`, init)));

  assertEquals(statuses, STATUSES);
  assertEquals((await sink.events()).length, 101);
});

Deno.test("createIngest() is a route handler of Next.js as it is", async () => {
  const sink = createMemorySink();
  const ingest = createIngest({ keys: [{ apiKey: KEY, origins: [ORIGIN] }], sink, path: "/api/events" });
  // What `app/api/events/route.ts` exports; Next.js hands over a second argument.
  const route: Record<string, (request: Request, context: { params: Promise<object> }) => Promise<Response>> = {
    POST: ingest,
    OPTIONS: ingest,
  };
  const call = async (method: string, init: RequestInit) =>
    await route[method]?.(new Request("https://shop.example/api/events", { ...init, method }), {
      params: Promise.resolve({}),
    });

  const preflight = await call("OPTIONS", {});
  const stored = await call("POST", { headers: headersOf(), body: JSON.stringify(FULL) });

  assertEquals(preflight?.status, 204);
  await assertStored(stored ?? Response.error(), 1, 0);
  assertEquals((await sink.events()).length, 1);
});

/** What the ingest needs beside the web. */
const LIBRARIES: Readonly<Record<string, unknown>> = { isbot, valibot };

/** The module of a bundle. */
interface Bundled {
  readonly createIngest: typeof createIngest;
  readonly createMemorySink: () => MemorySink;
  readonly createFileSink: (options: { path: string }) => Promise<unknown>;
}

/** Bundles the ingest as for Workers, and loads it where there are only the globals of the web. */
function loadWithoutNode(): { readonly module: Bundled; readonly imports: readonly string[] } {
  const { outputFiles, metafile } = buildSync({
    entryPoints: ["src/ingest/mod.ts"],
    bundle: true,
    format: "cjs",
    platform: "neutral",
    target: "es2022",
    alias: SOURCE_ALIASES,
    external: [...Object.keys(LIBRARIES), "@nats-io/*"],
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports)
    .filter(({ external, kind }) => external && kind !== "dynamic-import").map(({ path }) => path);
  const exported: Record<string, unknown> = {};
  const web = {
    Request,
    Response,
    Headers,
    URL,
    TextEncoder,
    TextDecoder,
    ReadableStream,
    performance,
    DecompressionStream,
    crypto,
  };
  const context = createContext({
    ...web,
    setTimeout,
    clearTimeout,
    module: { exports: exported },
    exports: exported,
    require: (name: string) => LIBRARIES[name],
  });
  const module = runInContext(`${outputFiles[0]?.text}; module.exports`, context);
  return { module, imports: [...new Set(imports)] };
}

Deno.test("createIngest() runs where there is nothing of Node, as in Workers", async () => {
  const { module, imports } = loadWithoutNode();
  const sink = module.createMemorySink();
  const ingest = module.createIngest({ keys: [{ apiKey: KEY, origins: [ORIGIN] }], sink });
  const gzipped = new Response(JSON.stringify(FULL)).body?.pipeThrough(new CompressionStream("gzip"));

  const plain = await ingest(post(FULL));
  const compressed = await ingest(post(gzipped, { "Content-Encoding": "gzip" }));
  const refused = await ingest(post(FULL, { "X-API-Key": "wrong" }));
  const missing = await module.createFileSink({ path: "x" }).catch((error: unknown) => String(error));

  assertEquals(imports.toSorted(), Object.keys(LIBRARIES));
  await assertStored(plain, 1, 0);
  await assertStored(compressed, 0, 1);
  assertEquals(refused.status, 401);
  assertEquals(
    missing,
    "Error: a folder of events needs SQLite, which Node has since 22.13 and Deno since 2.2",
  );
  assertEquals((await ingest(new Request(URL_OF_INGEST))).status, 405);
});
