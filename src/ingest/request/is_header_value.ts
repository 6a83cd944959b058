/** Returns whether a header can hold the text as it is (Fetch standard, header value; Latin-1). */
export function isHeaderValue(text: string): boolean {
  return text === text.trim() && /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}
