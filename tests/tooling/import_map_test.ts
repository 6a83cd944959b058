import { assertEquals } from "@std/assert";

interface ImportMap {
  readonly imports: Readonly<Record<string, string>>;
  readonly scopes?: { readonly "./": Readonly<Record<string, string>> };
}

function readImports(path: string): ImportMap {
  return JSON.parse(Deno.readTextFileSync(path));
}

function keepNpm(imports: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(imports).filter(([, specifier]) => specifier.startsWith("npm:")));
}

const [SDK, INGEST, OFFLINE] = ["deno.json", "src/ingest/deno.json", "tests/offline/import_map.json"].map(readImports);
const OF_TESTS = SDK?.scopes?.["./"] ?? {};

Deno.test("the import map without JSR names the npm packages of both packages and of the tests, at the same versions", () => {
  assertEquals(keepNpm(OFFLINE?.imports ?? {}), { ...OF_TESTS, ...INGEST?.imports });
});

Deno.test("what the tests import of the ingest's packages has the ingest's versions", () => {
  const shared = Object.entries(INGEST?.imports ?? {}).filter(([name]) => name in OF_TESTS);

  assertEquals(shared.filter(([name, specifier]) => OF_TESTS[name] !== specifier), []);
});

Deno.test("every package is pinned to an exact version, except @std, which only tests use", () => {
  const specifiers = [SDK?.imports, INGEST?.imports, OFFLINE?.imports].flatMap((imports) =>
    Object.values(imports ?? {})
  );

  assertEquals(specifiers.some((specifier) => specifier.startsWith("jsr:@deno/dnt@")), true);
  assertEquals(
    specifiers.filter((specifier) => !/^(jsr:@std\/|\.\/)|@\d+\.\d+\.\d+(?:-[\w.]+)?(?:\/\w+)?$/.test(specifier)),
    [],
  );
});

Deno.test("the SDK imports no package of npm: deno task downloads what is in imports before it runs anything", () => {
  assertEquals(keepNpm(SDK?.imports ?? {}), {});
});

interface Graph {
  readonly modules: readonly {
    readonly dependencies?: readonly { readonly specifier: string; readonly code?: unknown }[];
  }[];
}

Deno.test("no module names DuckDB's package for Deno to download it before a report asks", async () => {
  const args = ["info", "--json", "--no-lock", "--import-map", "tests/offline/import_map.json"];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: [...args, "scripts/demo/demo.ts"] }).output();
  const { modules }: Graph = JSON.parse(new TextDecoder().decode(stdout));
  const loaded = modules.flatMap(({ dependencies = [] }) => dependencies).filter(({ code }) => code)
    .map(({ specifier }) => specifier);

  assertEquals([loaded.includes("prom-client"), loaded.includes("@duckdb/node-api")], [true, false]);
});
