import { FORBIDDEN_NAMES } from "./anonymous.ts";

/** A string of valid JSON, and the colon that makes it a name. */
const STRING = /"((?:[^"\\]+|\\.)*)"(\s*:)?/gs;

/**
 * Finds a forbidden name in the text of a body that is valid JSON. Parsed, a body shows the last of
 * several fields of a name and no `__proto__`; whoever parses it otherwise would see the others.
 */
export function findForbiddenName(text: string): string | undefined {
  for (const [, name = "", colon] of text.matchAll(STRING)) {
    if (colon === undefined) continue;
    const plain: string = name.includes("\\") ? JSON.parse(`"${name}"`) : name;
    if (FORBIDDEN_NAMES.includes(plain)) return plain;
  }
}
