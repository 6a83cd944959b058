/** Returns whether a text has the form of an ID that the SDK made. */
export function isId(text: string): boolean {
  return /^[\w-]{36}$/.test(text);
}
