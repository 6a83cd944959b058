/** Returns a URL without query and fragment. */
export function pathOf(url: string): string {
  return url.replace(/[?#].*/s, "");
}
