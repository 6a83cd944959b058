/** Fewest different characters of a secret; 16 random hexadecimal digits have fewer once in some 100,000 times. */
const MIN_DIFFERENT_CHARACTERS = 6;

/** Endings of examples that people have pasted: every reader of them has the secret. */
const PRINTED = ["8f14e45fceea167a"] as const;

/** Returns what is wrong with a secret; the text continues its name. Repeats nothing of it. */
export function findSecretProblem(secret: string, minCharacters: number): string | undefined {
  // Anything else may come out differently after a browser's prompt or a shell.
  if (!/^[\x21-\x7e]*$/.test(secret)) return "must be printable ASCII without spaces";
  if (secret.length < minCharacters) return `must have at least ${minCharacters} characters`;
  if (PRINTED.some((printed) => secret.endsWith(printed))) {
    return "must not be one that is printed in a guide: make one";
  }
  let different = ""; // no Set: there may be 10,000 secrets
  for (const character of secret) {
    if (!different.includes(character)) different += character;
    if (different.length === MIN_DIFFERENT_CHARACTERS) return undefined;
  }
  return `must have at least ${MIN_DIFFERENT_CHARACTERS} different characters`;
}
