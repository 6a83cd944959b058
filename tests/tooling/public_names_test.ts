import { assertEquals } from "@std/assert";

/** What `deno doc` says, as far as it's used. */
interface Documentation {
  readonly nodes: Readonly<Record<string, { readonly symbols: readonly { readonly name: string }[] }>>;
}

/** Most names that users of a package may have to know: of functions, types and values, in all its entry points. */
const MAX_NAMES = { sdk: 110, ingest: 100 };

const INGEST = "/src/ingest/";

/** Has names of other entry points again, for the ingest. */
const CONTRACT = "/src/plan/contract.ts";

function listEntries(): readonly string[] {
  const read = (folder: string): readonly string[] => {
    const { exports } = JSON.parse(Deno.readTextFileSync(`${folder}deno.json`));
    return Object.values<string>(exports).map((path) => folder + path.slice(2));
  };
  const folders = ["./", `.${INGEST}`].filter((folder) =>
    [...Deno.readDirSync(folder)].some(({ name }) => name === "deno.json")
  );
  return folders.flatMap(read);
}

const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["doc", "--json", ...listEntries()] }).output();
const TEXT = new TextDecoder().decode(stdout);

Deno.test("what editors show of the public API needs no specification beside it", () => {
  assertEquals(TEXT.includes("Starts collection."), true);
  assertEquals(TEXT.match(/[^"\\]*SPEC \d[^"\\]*/g), null);
});

Deno.test("each package has few public names, each from one entry point", () => {
  const { nodes }: Documentation = JSON.parse(TEXT);
  const found = Object.entries(nodes).flatMap(([url, { symbols }]) => symbols.map(({ name }) => ({ url, name })));
  for (const [id, max] of Object.entries(MAX_NAMES)) {
    const ofPackage = found.filter(({ url }) => url.includes(INGEST) === (id === "ingest"));
    const names = ofPackage.filter(({ url }) => !url.endsWith(CONTRACT)).map(({ name }) => name);
    const count = new Set(ofPackage.map(({ name }) => name)).size;
    assertEquals(names.filter((name, index) => names.indexOf(name) !== index), []);
    assertEquals([count > 0, count <= max], [true, true], `${count} names of ${id}`);
  }
});
