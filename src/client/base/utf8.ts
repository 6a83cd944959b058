/** Returns the length of a text in UTF-8 bytes, without an encoder, which some test environments lack. */
export function utf8Length(text: string): number {
  // A pair of surrogates is two units and four bytes.
  const beyondAscii = text.replace(/[\0-\x7f]+/g, "");
  return text.length + beyondAscii.length + beyondAscii.replace(/[\0-\u07ff\ud800-\udfff]+/g, "").length;
}
