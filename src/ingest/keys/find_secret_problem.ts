/** Fewest different characters of a secret; 16 random hexadecimal digits have fewer once in some 100,000 times. */
const MIN_DIFFERENT_CHARACTERS = 6;

/** Returns what is wrong with a secret; the text continues its name. Repeats nothing of it. */
export function findSecretProblem(secret: string, minCharacters: number): string | undefined {
  // Anything else may come out differently after a browser's prompt or a shell.
  if (!/^[\x21-\x7e]*$/.test(secret)) return "must be printable ASCII without spaces";
  if (secret.length < minCharacters) return `must have at least ${minCharacters} characters`;
  if (new Set(secret).size < MIN_DIFFERENT_CHARACTERS) {
    return `must have at least ${MIN_DIFFERENT_CHARACTERS} different characters`;
  }
}
