/** Variables of the environment. */
export type Variables = Readonly<Record<string, string | undefined>>;

// Of two values in quotes each is one of its own.
const QUOTED = /^(["'])((?:(?!\1).)*)\1$/s;

/**
 * Returns a setting as it was meant. Docker's `--env-file` keeps the quotes around a value; a file of Windows leaves the
 * end of its lines, and a byte order mark.
 */
export function cleanValue(text: string): string {
  // `trim()` takes a byte order mark for white space.
  const trimmed = text.trim();
  return QUOTED.exec(trimmed)?.[2] ?? trimmed;
}

/** Returns a variable as it was meant; undefined for one that is empty, which is one that isn't set, and for none. */
export function readVariable(variables: Variables, name = ""): string | undefined {
  // The first name of a file with a byte order mark begins with it.
  return cleanValue(variables[name] ?? variables[`\ufeff${name}`] ?? "") || undefined;
}
