/**
 * Characters that break a line, move a cursor, or turn the direction of text around and so show it as another one. C1
 * controls and line separators are among them: JSON leaves those as they are.
 */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/**
 * Replaces the control and bidi characters of a text that others chose: everybody with the publishable key chooses names,
 * titles and referrers.
 *
 * @param write Writes what stands for a character; U+FFFD by default.
 */
export function replaceControls(text: string, write: (character: string) => string = () => "\ufffd"): string {
  return text.replace(UNSAFE, write);
}

/** An escape of JSON: of a backslash, or of a half of a character, of which there is no UTF-8. */
const BACKSLASH_OR_HALF = /\\(?:\\|ud[89a-f][\da-f]{2})/g;

/**
 * Writes a value as JSON that every reader takes and every terminal shows as it is: halves of characters are replaced, control
 * and bidi characters are escaped.
 */
export function writeSafeJson(value: unknown): string {
  const text = JSON.stringify(value).replace(BACKSLASH_OR_HALF, (escape) => escape === "\\\\" ? escape : "\ufffd");
  return replaceControls(text, escapeForJson);
}

/** Writes a character as JSON escapes it, so that JSON text keeps its value. */
export function escapeForJson(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
