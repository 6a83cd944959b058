/** Where the client's parts are declared. */
const PARTS: readonly string[] = ["client", "client/capture", "client/delivery"];

/** Where names are of something else: what travels, hooks, values of the application, the page. */
const SEEN: readonly string[] = [
  "client/base",
  "client/platform",
  "client/config.ts",
  "client/hooks.ts",
  "client/inside.ts",
  "client/json.ts",
  "script_tag",
];

/** Objects of the language, whose members the parts use; those of the page are in the files above. */
const BUILT_INS: readonly object[] = [
  ...[Object, Function, Array, String, Number, Boolean, Symbol, BigInt, RegExp, Date, Error, Promise],
  ...[Map, Set, WeakMap, WeakSet, Uint8Array, JSON, Math, Reflect, [].values()],
];

const INTERFACE = /^export interface (\w+) \{$(.*?)^\}$/gms;
/** A member that is never missing: where one is, a page that put names on every object might have the short one there. */
const MEMBER = /^ {2}(?:readonly )?(\w+)[(:<]/gm;
const COMMENT_OR_TEXT = /\/\*.*?\*\/|\/\/[^\n]*|"[^"\n]*"|'[^'\n]*'/gs;

/**
 * Returns the names of the client's parts and of their members, for which the script-tag build has short ones. A part is
 * what a factory of its file makes, `createX()` an `X`; `XParts` are those that it works with. No addon gets hold of one,
 * and none travels. A name that is also in a file of what addons, the page or the wire see stays whole, and so does one
 * that an object of the language has.
 */
export function findInternalNames(): readonly string[] {
  const stays = new Set([...listBuiltInNames(), ...readSources(SEEN).flatMap(listWords)]);
  const names = readSources(PARTS).flatMap((source) =>
    [...source.matchAll(INTERFACE)]
      .filter(([, name = ""]) => name.endsWith("Parts") || source.includes(`export const create${name}:`))
      .flatMap(([, , members = ""]) => [...members.matchAll(MEMBER)].map(([, name = ""]) => name))
  );
  return [...new Set(names)].filter((name) => !stays.has(name)).sort();
}

/** Returns the sources of files, and of what is in folders, without the folders in those. */
function readSources(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    const url = new URL(`../../src/${path}`, import.meta.url);
    if (path.endsWith(".ts")) return [Deno.readTextFileSync(url)];
    const files = [...Deno.readDirSync(url)].filter(({ isFile }) => isFile).map(({ name }) => `${path}/${name}`);
    return readSources(files);
  });
}

function listWords(source: string): readonly string[] {
  return source.replace(COMMENT_OR_TEXT, "").match(/\w+/g) ?? [];
}

function listBuiltInNames(): readonly string[] {
  return BUILT_INS.flatMap((each) => [each, Reflect.get(each, "prototype") ?? Object.getPrototypeOf(each)])
    .flatMap((each) => Object.getOwnPropertyNames(each));
}
