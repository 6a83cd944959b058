import type { Rule, RuledEvent } from "./ruled_event.ts";

/** Least characters, in parts with both letters and digits, that make a secret of a word. */
const MIN_SECRET_LENGTH = 20;

/**
 * A word, in its group: what stands between spaces, brackets and the delimiters of URLs. Encoded as in URLs, once or more
 * often, letters, digits, an at sign, a plus, a hyphen, a dot and an underscore are of the word, and all else ends it.
 * Nothing follows the word, so that no text is looked at twice.
 */
const WORD =
  /%(?:25)+(?![\dA-F]{2})|%(?:25)*(?!25|2[BDE]|3\d|4|6[1-9A-F]|[57][\dA]|5F|[89A-F])[\dA-F]{2}|((?:[^%\p{Cc}\s"<>()[\]{},;:|\\/?#&=\u2000-\u206f\u3000-\u303f]+|%(?:25)*(?:2[BDE]|3\d|4[\dA-F]|6[1-9A-F]|[57][\dA]|5F|[89A-F][\dA-F]))+)/giu;

const ENCODED_ASCII = /%(?:25)*([2-7][\dA-F])/gi;

/** No address is the name of an image for screens of a higher resolution, `logo@2x.png`, nor a version, `sdk@0.1.0`. */
const MAIL = /[^@]@(?!\dx\.(?:avif|gif|jpe?g|png|svg|webp)(?![\w.-]))[^@]+\.[^.@\d][^@]/i;

/** The part of a URL before its path. */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/** A percent-encoded byte: most are letters of other alphabets. */
const ENCODED = /%[\dA-F]{2}/gi;

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

function maskText(text: string): string {
  return text.replace(WORD, (all, word?: string) => word === undefined ? all : maskWord(word));
}

function maskWord(word: string): string {
  const plain = word.replace(ENCODED_ASCII, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  if (MAIL.test(plain)) return "[mail]";
  return isToken(plain) ? "[token]" : word;
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

function isToken(word: string): boolean {
  if (/^eyJ.+\./.test(word)) return true;
  return isSecret(word) && isSecret(word.replace(ENCODED, "%").replace(UUID, ""));
}

/** Returns whether enough of a word is in parts of letters and digits that have both. */
function isSecret(word: string): boolean {
  if (word.length < MIN_SECRET_LENGTH) return false;
  const parts = word.split(/[^a-z\d]+/i).filter((part) => /\d/.test(part) && /[a-z]/i.test(part));
  return parts.join("").length >= MIN_SECRET_LENGTH;
}
