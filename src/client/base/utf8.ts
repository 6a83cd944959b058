/** Returns the length of a text in UTF-8 bytes, without an encoder, which some test environments lack. */
export function utf8Length(text: string): number {
  // A pair of surrogates is two units and four bytes.
  return text.replace(/[\x80-\u07ff\ud800-\udfff]/g, "xx").replace(/[^\0-\x7f]/g, "xxx").length;
}
