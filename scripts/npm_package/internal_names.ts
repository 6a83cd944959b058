import { fileURLToPath } from "node:url";
import { findLayer } from "../lint/layers.ts";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const DIRECTORIES = ["src", "src/environment", "src/global"] as const;

/** What applications and requests know by name. */
const PUBLIC_FILE = "src/types.ts";

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*/g;
const QUOTED = /["'`](\w+)["'`]/g;
const INTERFACE = /^(?:export )?interface [^{]*\{[\s\S]*?^\}/gm;
const MEMBER = /^ {2}(?:readonly )?(\w+)\??[(:]/gm;

/**
 * Returns the names of members by which the parts of the client know each other, and which the script-tag build may
 * shorten: those of the interfaces in the core and in the port, but for names that are public, or in quotes anywhere,
 * since a program that asks for a member by text has to find it. Adapters describe the platform, and are left out.
 *
 * A name that the platform knows too isn't told apart here: terser keeps a list of these, and leaves them alone.
 */
export function listInternalNames(): readonly string[] {
  const files = DIRECTORIES.flatMap(readModules);
  const kept = new Set(files.flatMap(({ path, code }) => [
    ...findAll(QUOTED, code),
    ...(path === PUBLIC_FILE ? findMembers(code) : []),
  ]));
  const names = files.filter(({ path }) => isInternal(path)).flatMap(({ code }) => findMembers(code));
  return [...new Set(names)].filter((name) => !kept.has(name)).sort();
}

function isInternal(path: string): boolean {
  const layer = findLayer(path);
  return layer === "core" || layer === "port" || layer === "leaf";
}

function findMembers(code: string): readonly string[] {
  return [...code.matchAll(INTERFACE)].flatMap(([text]) => findAll(MEMBER, text));
}

function findAll(pattern: RegExp, text: string): readonly string[] {
  return [...text.matchAll(pattern)].map(([, name = ""]) => name);
}

function readModules(directory: string): { readonly path: string; readonly code: string }[] {
  const entries = [...Deno.readDirSync(REPOSITORY + directory)].filter(({ name }) => name.endsWith(".ts"));
  return entries.map(({ name }) => {
    const path = `${directory}/${name}`;
    return { path, code: Deno.readTextFileSync(REPOSITORY + path).replace(COMMENT, "") };
  });
}
