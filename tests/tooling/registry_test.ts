import { assertEquals } from "@std/assert";
import { runProcess } from "../../scripts/process.ts";

const REGISTRY_MODULE = new URL("../../scripts/registry.ts", import.meta.url).href;

/** Asks for the registry in a process of its own, whose JSR is the given server and whose cache is empty. */
async function findRegistryAt(jsrUrl: string, limitMs: number): Promise<unknown> {
  const cache = await Deno.makeTempDir();
  const code = `const { findRegistry } = await import(${JSON.stringify(REGISTRY_MODULE)});
    const { isJsrReachable, denoArgs } = await findRegistry(${limitMs});
    console.log(JSON.stringify({ isJsrReachable, denoArgs }));`;
  const { output } = await runProcess(Deno.execPath(), {
    args: ["eval", "--quiet", "--no-config", code],
    env: { JSR_URL: jsrUrl, DENO_DIR: cache, NO_COLOR: "1" },
    isQuiet: true,
  });
  await Deno.remove(cache, { recursive: true });
  return JSON.parse(output.trim().split("\n").at(-1) ?? "");
}

const WITHOUT_JSR = {
  isJsrReachable: false,
  denoArgs: ["--no-lock", "--import-map", "tests/offline/import_map.json"],
};

/** The packages' exports, as JSR has them: nothing in @std/testing goes by the package's name alone. */
const EXPORTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  assert: { ".": "./mod.ts", "./equals": "./equals.ts", "./throws": "./throws.ts" },
  testing: { "./bdd": "./bdd.ts", "./mock": "./mock.ts", "./time": "./time.ts" },
};

const MODULE = "export {};";
const CHECKSUM = "sha256-2e29cd9a98755c46896f7a2d56524db2d6d96b248e36db46de14c30bf47c8d05";

/** Answers as JSR does: a list of versions, the manifest of one, and its modules. */
function answerAsJsr(request: Request): Response {
  const [, name = "", file = ""] = /^\/@std\/(\w+)\/(.+)$/.exec(new URL(request.url).pathname) ?? [];
  const exports = EXPORTS[name];
  if (!exports) return new Response(null, { status: 404 });
  const paths = Object.values(exports).map((path) => path.slice(1));
  if (file === "meta.json") return Response.json({ scope: "std", name, latest: "1.0.0", versions: { "1.0.0": {} } });
  if (file === "1.0.0_meta.json") {
    const entries = paths.map((path) => [path, { size: MODULE.length, checksum: CHECKSUM }]);
    return Response.json({ manifest: Object.fromEntries(entries), exports });
  }
  if (!paths.some((path) => file === `1.0.0${path}`)) return new Response(null, { status: 404 });
  return new Response(MODULE, { headers: { "Content-Type": "text/typescript" } });
}

Deno.test("findRegistry() uses the real packages where JSR answers", async () => {
  const server = Deno.serve({ port: 0, onListen: () => {} }, answerAsJsr);

  const registry = await findRegistryAt(`http://127.0.0.1:${server.addr.port}/`, 10_000);
  await server.shutdown();

  assertEquals(registry, { isJsrReachable: true, denoArgs: [] });
});

Deno.test("findRegistry() uses the stand-ins where JSR refuses", async () => {
  const server = Deno.serve({ port: 0, onListen: () => {} }, () => new Response(null, { status: 403 }));

  const registry = await findRegistryAt(`http://127.0.0.1:${server.addr.port}/`, 10_000);
  await server.shutdown();

  assertEquals(registry, WITHOUT_JSR);
});

Deno.test("findRegistry() doesn't wait for a JSR that never answers", async () => {
  const controller = new AbortController();
  const silence = Promise.withResolvers<Response>();
  const server = Deno.serve({ port: 0, onListen: () => {}, signal: controller.signal }, () => silence.promise);

  const registry = await findRegistryAt(`http://127.0.0.1:${server.addr.port}/`, 500);
  silence.resolve(new Response(null, { status: 503 }));
  controller.abort();
  await server.finished;

  assertEquals(registry, WITHOUT_JSR);
});
