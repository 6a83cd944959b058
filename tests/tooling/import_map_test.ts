import { assertEquals } from "@std/assert";

function readImports(path: string): [name: string, specifier: string][] {
  return Object.entries(JSON.parse(Deno.readTextFileSync(path)).imports);
}

const fromNpm = ([, specifier]: readonly [string, string]): boolean => specifier.startsWith("npm:");

Deno.test("the import map without JSR names the npm packages of deno.json at the same versions", () => {
  const offline = readImports("tests/offline/import_map.json").filter(fromNpm);

  assertEquals(Object.fromEntries(offline), Object.fromEntries(readImports("deno.json").filter(fromNpm)));
});

Deno.test("every package is pinned to an exact version, except @std, which only tests use", () => {
  const specifiers = [...readImports("deno.json"), ...readImports("tests/offline/import_map.json").filter(fromNpm)]
    .map(([, specifier]) => specifier);

  assertEquals(specifiers.some((specifier) => specifier.startsWith("jsr:@deno/dnt@")), true);
  assertEquals(specifiers.filter((specifier) => !/^jsr:@std\/|@\d+\.\d+\.\d+$/.test(specifier)), []);
});
