import { assertEquals } from "@std/assert";

function readImports(path: string): [name: string, specifier: string][] {
  return Object.entries(JSON.parse(Deno.readTextFileSync(path)).imports);
}

const fromNpm = ([, specifier]: readonly [string, string]): boolean => specifier.startsWith("npm:");

Deno.test("the import map without JSR names the npm packages of deno.json at the same versions", () => {
  const offline = readImports("tests/offline/import_map.json").filter(fromNpm);

  assertEquals(Object.fromEntries(offline), Object.fromEntries(readImports("deno.json").filter(fromNpm)));
});

Deno.test("every npm package is pinned to an exact version", () => {
  const specifiers = [...readImports("deno.json"), ...readImports("tests/offline/import_map.json")].filter(fromNpm);

  assertEquals(specifiers.filter(([, specifier]) => !/@\d+\.\d+\.\d+$/.test(specifier)), []);
});
