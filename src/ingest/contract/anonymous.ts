/** Names that would make an aggregate body personal. */
export const FORBIDDEN_NAMES: readonly string[] = [
  "identity",
  "sessionId",
  "anonymousId",
  "userId",
  "traits",
  "properties",
];

const KNOWN_NAMES: readonly string[] = [...FORBIDDEN_NAMES, "events", "context"];

/** A string of valid JSON, and the colon that makes it a name. */
const STRING = /"((?:[^"\\]+|\\.)*)"(\s*:)?/gs;

/** Finds the path of an identity or a session anywhere in the value, unknown fields included. */
export function findPersonalData(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [name, item] of Object.entries(value)) {
    const step = isList ? `[${name}]` : buildStep(name);
    if (!isList && FORBIDDEN_NAMES.includes(name)) return step;
    const path = findPersonalData(item);
    if (path !== undefined) return step + path;
  }
}

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

// A name that the sender made up may itself be personal: a message never repeats it.
function buildStep(name: string): string {
  return KNOWN_NAMES.includes(name) ? `.${name}` : ".*";
}
