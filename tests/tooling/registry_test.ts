import { assertEquals, assertMatch } from "@std/assert";
import { runProcess } from "../../scripts/support/process.ts";

const REGISTRY_MODULE = new URL("../../scripts/support/registry.ts", import.meta.url).href;

/** What the packages export on JSR, of @std/assert 1.0.19 a part. @std/testing has nothing under its own name. */
const EXPORTS: Readonly<Record<string, readonly string[]>> = {
  assert: [".", "./assert", "./equals", "./false", "./match", "./rejects", "./strict-equals", "./throws"],
  testing: ["./bdd", "./mock", "./snapshot", "./time", "./types", "./unstable-bdd", "./unstable-stub"],
};

const MODULE = "export {};";
const CHECKSUM = "sha256-2e29cd9a98755c46896f7a2d56524db2d6d96b248e36db46de14c30bf47c8d05";

/** Makes a server that answers as JSR does: a list of versions, the manifest of one, and its modules. */
function serveJsr(packages: typeof EXPORTS): (request: Request) => Response {
  return (request) => {
    const [, name = "", file = ""] = /^\/@std\/(\w+)\/(.+)$/.exec(new URL(request.url).pathname) ?? [];
    const paths = packages[name]?.map((subPath) => subPath === "." ? "/mod.ts" : `${subPath.slice(1)}.ts`);
    if (!paths) return new Response(null, { status: 404 });
    if (file === "meta.json") return Response.json({ scope: "std", name, latest: "1.0.0", versions: { "1.0.0": {} } });
    if (file === "1.0.0_meta.json") {
      return Response.json({
        manifest: Object.fromEntries(paths.map((path) => [path, { size: MODULE.length, checksum: CHECKSUM }])),
        exports: Object.fromEntries(paths.map((path, index) => [packages[name]?.[index], `.${path}`])),
      });
    }
    if (!paths.some((path) => file === `1.0.0${path}`)) return new Response(null, { status: 404 });
    return new Response(MODULE, { headers: { "Content-Type": "text/typescript" } });
  };
}

/** Asks for the registry in a process of its own, whose JSR is the given server and whose cache is empty. */
function findRegistryAt(answer: (request: Request) => Response | Promise<Response>, limitMs: number) {
  return evaluateAt(
    answer,
    `const { findRegistry } = await import(${JSON.stringify(REGISTRY_MODULE)});
    const { isJsrReachable, denoArgs } = await findRegistry(${limitMs});
    console.log(JSON.stringify({ isJsrReachable, denoArgs }));`,
  );
}

async function evaluateAt(answer: (request: Request) => Response | Promise<Response>, code: string) {
  const server = Deno.serve({ port: 0, onListen: () => {} }, answer);
  const cache = await Deno.makeTempDir();
  const { output } = await runProcess(Deno.execPath(), {
    args: ["eval", "--quiet", "--no-config", code],
    env: { JSR_URL: `http://127.0.0.1:${server.addr.port}/`, DENO_DIR: cache, NO_COLOR: "1" },
    isQuiet: true,
  });
  await Deno.remove(cache, { recursive: true });
  return { registry: JSON.parse(output.trim().split("\n").at(-1) ?? ""), end: () => server.shutdown() };
}

const WITHOUT_JSR = {
  isJsrReachable: false,
  denoArgs: ["--no-lock", "--import-map", "tests/offline/import_map.json"],
};

Deno.test("findRegistry() uses the real packages where JSR answers", async () => {
  const { registry, end } = await findRegistryAt(serveJsr(EXPORTS), 10_000);
  await end();

  assertEquals(registry, { isJsrReachable: true, denoArgs: [] });
});

Deno.test("findRegistry() doesn't wait for a JSR that never answers", async () => {
  const silence = Promise.withResolvers<Response>();
  const { registry, end } = await findRegistryAt(() => silence.promise, 500);
  silence.resolve(new Response(null, { status: 503 }));
  await end();

  assertEquals(registry, WITHOUT_JSR);
});

Deno.test("findDnt() says why dnt can't be loaded", async () => {
  const module = new URL("../../scripts/package/compile_with_dnt.ts", import.meta.url).href;
  const code = `const { findDnt } = await import(${JSON.stringify(module)});
    console.log(JSON.stringify(await findDnt({ isRequired: true })));`;

  const { registry, end } = await evaluateAt(() => new Response(null, { status: 404 }), code);
  await end();

  assertEquals(registry.isFound, false);
  assertMatch(registry.reason, /@deno\/dnt/);
});
