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

// A name that the sender made up may itself be personal: a message never repeats it.
function buildStep(name: string): string {
  return KNOWN_NAMES.includes(name) ? `.${name}` : ".*";
}
