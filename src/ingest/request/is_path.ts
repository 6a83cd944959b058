/** Returns whether a request can have the path: one that starts with a slash, and is encoded as a URL has it. */
export function isPath(text: string): boolean {
  // Put together as text: a path may begin with two slashes, which would name a host.
  const url = `http://localhost${text}`;
  return text.startsWith("/") && URL.canParse(url) && new URL(url).pathname === text;
}
