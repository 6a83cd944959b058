import type { Rule, RuledEvent } from "./ruled_event.ts";

/** Least characters, in parts with both letters and digits, that make a secret of a word. */
const MIN_SECRET_LENGTH = 20;

/** The shortest mail address, `a@b.de`; its replacement is no longer. */
const MIN_WORD_LENGTH = 6;

const ENCODED_AT = /%(?:25)*40/g;

const PERCENT = 0x25;
const DOT = 0x2e;
const AT_SIGN = 0x40;

/** What ends a word, beside white space. */
const DELIMITERS = `"<>()[]{},;:|\\/?#&=`;

/** What comes before the path of a URL. */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/** A percent-encoded byte: most are letters of other alphabets. */
const ENCODED = /%[\dA-F]{2}/gi;

/** What follows the at sign in the name of an image for screens of a higher resolution, `logo@2x.png`. */
const RESOLUTION = /\dx\.(?:avif|gif|jpe?g|png|svg|webp)(?![.\w-])/iy;

/** A text of JSON with its quotes. */
const LITERAL = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;

/**
 * Replaces mail addresses by `[mail]` and tokens by `[token]`: in names of steps, in properties and traits with the keys
 * in them, and in URLs, referrers and titles. All else in them stays.
 *
 * A token is a JSON Web Token, or a word with 20 characters or more in parts that have both letters and digits, such as
 * `key_9f86d081884c7d659a2f`; a part ends at a hyphen, an underscore, a dot or another sign. A UUID is none,
 * since most of them name a thing. Hosts stay. It takes time in proportion to the text.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { addRules, maskMailAndTokens } from "@vendor/sdk/rules";
 *
 * addRules(Vendor, maskMailAndTokens());
 * ```
 */
export function maskMailAndTokens(): Rule {
  return (event): RuledEvent => ({
    ...event,
    name: maskText(event.name),
    properties: maskObject(event.properties),
    traits: maskObject(event.traits),
    url: maskUrl(event.url),
    referrer: maskUrl(event.referrer),
    title: maskText(event.title),
  });
}

/**
 * Masks words: what stands between spaces, brackets and the delimiters of URLs, also where these are percent-encoded.
 * Goes through the text once by hand, since an expression would have to look at each word several times.
 */
function maskText(text: string): string {
  if (text.length < MIN_WORD_LENGTH) return text;
  let masked = "";
  /** Up to where the text is in `masked`. */
  let end = 0;
  let start = 0;
  let hasAt = false;
  let hasDigit = false;
  for (let i = 0; i <= text.length; i++) {
    const code = text.charCodeAt(i);
    if (isLetter(code)) continue;
    let next = i + 1;
    if (code === PERCENT) {
      next = findEncodedEnd(text, i);
      const encoded = next > i + 1 ? text.slice(next - 2, next) : "";
      hasAt ||= encoded === "40";
      if (encoded && /^(?:40|2[BDE]|5F|[89A-F])/i.test(encoded)) {
        i = next - 1;
        continue;
      }
    } else if (isDigit(code)) {
      hasDigit = true;
      continue;
    } else if (code === AT_SIGN) {
      hasAt = true;
      continue;
    } else if (i < text.length && !isDelimiter(code)) continue;
    const length = i - start;
    if (
      length >= MIN_WORD_LENGTH && (hasAt || (hasDigit && length >= MIN_SECRET_LENGTH) || text.startsWith("eyJ", start))
    ) {
      const word = text.slice(start, i);
      const replacement = hasAt && isMail(word) ? "[mail]" : isToken(word) && "[token]";
      if (replacement) {
        masked += text.slice(end, start) + replacement;
        end = i;
      }
    }
    hasAt = hasDigit = false;
    i = next - 1;
    start = next;
  }
  return masked + text.slice(end);
}

/** Returns where a percent-encoded character ends, which may be encoded several times; behind a lone percent sign. */
function findEncodedEnd(text: string, start: number): number {
  let end = start + 1;
  while (text.startsWith("25", end)) end += 2;
  return isHex(text.charCodeAt(end)) && isHex(text.charCodeAt(end + 1)) ? end + 2 : end;
}

/** Returns whether a character ends words: white space, quotes, brackets and the delimiters of URLs. */
function isDelimiter(code: number): boolean {
  if (code > 0x7f) return code === 0xa0 || (code >= 0x2000 && code <= 0x206f) || (code >= 0x3000 && code <= 0x303f);
  return code <= 0x20 || DELIMITERS.includes(String.fromCharCode(code));
}

/** Masks behind the origin, which has to stay one. */
function maskUrl(url: string): string {
  const [origin = ""] = ORIGIN.exec(url) ?? [];
  return origin + maskText(url.slice(origin.length));
}

/** Masks an object as JSON text: the signs between its texts end words, and no number is long enough for a secret. */
function maskObject(object: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  const text: string | undefined = object && JSON.stringify(object);
  if (text === undefined) return object;
  const masked = text.includes("\\") ? text.replace(LITERAL, maskLiteral) : maskText(text);
  return masked === text ? object : JSON.parse(masked);
}

/** Masks a text of JSON as it is without its escapes. */
function maskLiteral(literal: string): string {
  return literal.includes("\\") ? JSON.stringify(maskText(JSON.parse(literal))) : maskText(literal);
}

function isMail(word: string): boolean {
  const text = word.replace(ENCODED_AT, "@");
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    if (at > 0 && text.charCodeAt(at - 1) !== AT_SIGN && isDomain(text, at + 1)) return true;
  }
  return false;
}

/** Returns whether a dot and two characters follow, before the next at sign: no digit as in a version, and no dot. */
function isDomain(text: string, start: number): boolean {
  RESOLUTION.lastIndex = start;
  if (RESOLUTION.test(text)) return false;
  for (let i = start; i + 2 < text.length && text.charCodeAt(i) !== AT_SIGN; i++) {
    if (i === start || text.charCodeAt(i) !== DOT) continue;
    const first = text.charCodeAt(i + 1);
    if (first !== DOT && first !== AT_SIGN && !isDigit(first) && text.charCodeAt(i + 2) !== AT_SIGN) return true;
  }
  return false;
}

function isToken(word: string): boolean {
  if (word.startsWith("eyJ") && word.includes(".")) return true;
  return isSecret(word) && isSecret(word.replace(ENCODED, "%").replace(UUID, ""));
}

/** Returns whether enough of a word is in parts of letters and digits that have both. */
function isSecret(word: string): boolean {
  let length = 0;
  let start = 0;
  let hasDigit = false;
  let hasLetter = false;
  for (let i = 0; i <= word.length && length < MIN_SECRET_LENGTH; i++) {
    const code = word.charCodeAt(i); // NaN behind the end
    if (isDigit(code)) hasDigit = true;
    else if (isLetter(code)) hasLetter = true;
    else {
      if (hasDigit && hasLetter) length += i - start;
      hasDigit = hasLetter = false;
      start = i + 1;
    }
  }
  return length >= MIN_SECRET_LENGTH;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isHex(code: number): boolean {
  const lower = code | 0x20;
  return isDigit(code) || (lower >= 0x61 && lower <= 0x66);
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}
