/** A site as people write it, without its scheme. */
const BARE_SITE = /^(localhost|[^\s_/:]+\.[^\s_/:]+)(:\d+)?(\/|$)/;

/**
 * Returns what is wrong with an origin, or undefined. An origin of a key has to be what a browser sends, letter by letter:
 * applications have a scheme of their own, such as `capacitor://localhost`, and `null` stands for opaque ones.
 */
export function findOriginProblem(text: string): string | undefined {
  // The URL standard takes an asterisk, which no page's host has: it is written for every site of a domain.
  if (text.includes("*")) return 'must be one origin such as "https://shop.example": an asterisk stands for none';
  const nearest = findNearestOrigin(text);
  if (text === "null" || text === nearest) return undefined;
  if (nearest === undefined) return 'must be an origin such as "https://shop.example"';
  return `must be an origin as browsers send it: "${nearest}"`;
}

/** Returns the origin that a text names, with lower case, punycode, and neither path nor the scheme's own port. */
function findNearestOrigin(text: string): string | undefined {
  const url = BARE_SITE.test(text) ? `https://${text}` : text;
  if (!URL.canParse(url)) return undefined;
  const { origin, protocol, host } = new URL(url);
  if (host === "") return undefined;
  // The URL standard has no origin for schemes that it doesn't know; browsers send it nevertheless.
  return origin === "null" ? `${protocol}//${host}` : origin;
}
