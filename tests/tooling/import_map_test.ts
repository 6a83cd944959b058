import { assertEquals } from "@std/assert";

interface ImportMap {
  readonly imports: Readonly<Record<string, string>>;
  readonly scopes?: { readonly "./": Readonly<Record<string, string>> };
}

function readNpmImports(path: string): readonly (readonly [name: string, specifier: string])[] {
  const { imports, scopes }: ImportMap = JSON.parse(Deno.readTextFileSync(path));
  return Object.entries({ ...imports, ...scopes?.["./"] }).filter(([, specifier]) => specifier.startsWith("npm:"));
}

Deno.test("the import map without JSR names the npm packages of deno.json at the same versions", () => {
  const offline = Object.fromEntries(readNpmImports("tests/offline/import_map.json"));

  assertEquals(offline, Object.fromEntries(readNpmImports("deno.json")));
});

Deno.test("every package is pinned to an exact version, except @std, which only tests use", () => {
  const { imports }: ImportMap = JSON.parse(Deno.readTextFileSync("deno.json"));
  const offline = readNpmImports("tests/offline/import_map.json").map(([, specifier]) => specifier);
  const specifiers = [...Object.values(imports), ...offline];

  assertEquals(specifiers.some((specifier) => specifier.startsWith("jsr:@deno/dnt@")), true);
  assertEquals(specifiers.filter((specifier) => !/^jsr:@std\/|@\d+\.\d+\.\d+$/.test(specifier)), []);
});

Deno.test("deno.json has in its scope what no published module imports, which deno task doesn't download", () => {
  const { scopes }: Required<ImportMap> = JSON.parse(Deno.readTextFileSync("deno.json"));
  const lines = [...listModules("src"), "mod.ts"].flatMap((path) => Deno.readTextFileSync(path).split("\n"))
    .filter((line) => !/^ *(\*|\/\/|\/\*)/.test(line));

  const imported = Object.keys(scopes["./"]).filter((name) =>
    lines.some((line) => new RegExp(`(from|import) ?\\(?"${name}["/]`).test(line))
  );

  assertEquals(imported, []);
});

function listModules(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    return isDirectory ? listModules(path) : path.endsWith(".ts") ? [path] : [];
  });
}
