/** The parts of a URL that count. */
export interface Place {
  /** Origin; for schemes without one, such as `android-app:`, scheme and host. Empty for what is no URL. */
  readonly origin: string;
  /** Path without query and fragment, as {@linkcode normalizePath} writes it. */
  readonly path: string;
}

/** Longest label, in UTF-16 units: a URL may have a megabyte. */
const MAX_LABEL_UNITS = 1024;

/** As much of a URL as is parsed: enough for the longest host and label. Dot segments and names of hosts take long. */
const MAX_PARSED_UNITS = 2 * MAX_LABEL_UNITS;

const NOWHERE: Place = { origin: "", path: "" };

/** Creates what parses URLs, each once: the events of a batch are mostly of one page, and that is most of the speed. */
export function createLocator(): (url: string) => Place {
  const places = new Map<string, Place>();
  return (url) => {
    const known = places.get(url);
    if (known !== undefined) return known;
    const place = parsePlace(url);
    places.set(url, place);
    return place;
  };
}

function parsePlace(whole: string): Place {
  const url = whole.slice(0, MAX_PARSED_UNITS);
  if (!URL.canParse(url)) return NOWHERE;
  const { origin, protocol, host, pathname } = new URL(url);
  const isOpaque = origin === "null" && host !== "";
  return { origin: cleanLabel(isOpaque ? `${protocol}//${host}` : origin), path: normalizePath(cleanLabel(pathname)) };
}

/** Characters of a path that are percent-encoded. */
const ENCODED = /%[\da-f]{2}/gi;

/** Characters that mean the same encoded and as they are (RFC 3986, section 2.3). */
const UNRESERVED = /[\w.~-]/;

/**
 * Writes a path, as a URL has it, in the one way of those that mean the same: percent-encoding with capitals, and only
 * where it's needed (RFC 3986, section 6.2.2). It gets no longer.
 */
function normalizePath(path: string): string {
  return path.replace(ENCODED, (encoded) => {
    const character = String.fromCharCode(parseInt(encoded.slice(1), 16));
    return UNRESERVED.test(character) ? character : encoded.toUpperCase();
  });
}

/** Makes text safe to store and to join: SQLite's text ends at a NUL, and half a character isn't UTF-8. */
export function cleanLabel(text: string): string {
  return text.slice(0, MAX_LABEL_UNITS).toWellFormed().replace(/\p{Cc}/gu, "\ufffd");
}
