/**
 * The aggregate body, and the rules that keep a visitor out of it (SPEC 2.8).
 *
 * @module
 */
import * as v from "valibot";
import { type AggregatePageviewPayload, type EventContext, SDK_NAME } from "@vendor/sdk/contract";
import { listOf } from "./full_body.ts";
import { describes, fields, IDENTIFIER, oneOf, RECORD, type Schema, TEXT, UTC_TIME } from "./values.ts";

/** Fields of the context of an aggregate pageview. */
export type AggregateContext = Pick<EventContext, "sdkName" | "sdkVersion" | "pageUrl" | "referrer">;

/** An aggregate pageview with its restrictions, which the types of the specification leave to words. */
export interface AggregatePageview {
  /** Unique event ID. */
  readonly id: string;
  /** The only name there is. */
  readonly name: "$pageview";
  /** ISO 8601 UTC time of the navigation. */
  readonly timestamp: string;
  /** Restricted context. */
  readonly context?: AggregateContext;
}

const CONTEXT_NAMES: readonly string[] = ["sdkName", "sdkVersion", "pageUrl", "referrer"] satisfies (
  keyof AggregateContext
)[];

/** Names that would make an aggregate body personal. */
export const FORBIDDEN_NAMES: readonly string[] = [
  "identity",
  "sessionId",
  "anonymousId",
  "userId",
  "traits",
  "properties",
];

const KNOWN_NAMES: readonly string[] = [...FORBIDDEN_NAMES, "events", "context"];

/** `\u0069` */
const ESCAPE_UNITS = 6;

const LENGTHS: readonly number[] = FORBIDDEN_NAMES.map((name) => name.length);

/** The lengths of a forbidden name: as it is, and at the longest each letter as an escape, `\u0069`. */
const [MIN_WRITTEN_UNITS, MAX_WRITTEN_UNITS] = [Math.min(...LENGTHS), Math.max(...LENGTHS) * ESCAPE_UNITS];

const [SPACE, QUOTE, COLON, BACKSLASH] = [0x20, 0x22, 0x3a, 0x5c];

/** Refuses what holds personal data; in JSON Schema, by a rule that descends into every value. */
const NOTHING_PERSONAL = { allOf: [{ $ref: "#/$defs/Anonymous" }] };

/** A name or IPv4 address, or an IPv6 address; whether it is one takes more than a pattern. None is longer (RFC 1035). */
const HOST = "([^\\x00-\\x20/\\\\?#@:%<>^|\\[\\]]{1,253}|\\[[0-9A-Fa-f:.]{2,45}\\])";

/** At most 65535. */
const PORT = "([0-5]?\\d{1,4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])";

/**
 * As browsers write it, of any scheme: applications have their own, such as `capacitor://localhost/cart`. `URL` also
 * reads what has other slashes, none at all, or spaces around it.
 */
const PAGE_URL_PATTERN = `^[a-z][a-z0-9+.-]{0,31}://${HOST}(:${PORT})?(/[^\\x00-\\x1f?#]*)?$`;

const PAGE_URL_FORMAT = new RegExp(PAGE_URL_PATTERN, "u");

const PAGE_URL: Schema<string> = v.pipe(
  TEXT,
  v.check(isOriginAndPath, "must be an origin and path, without query, fragment or credentials"),
  v.metadata({ pattern: PAGE_URL_PATTERN }),
);

/** An origin is no longer than its host, of 253 characters, and its port. */
const REFERRER_PATTERN = "^[a-z][a-z0-9+.-]{0,31}://[^/?#@]{1,259}$";

const REFERRER_FORMAT = new RegExp(REFERRER_PATTERN, "u");

const REFERRER: Schema<string> = v.pipe(
  TEXT,
  v.check(isOrigin, "must be an origin only"),
  v.metadata({ pattern: REFERRER_PATTERN }),
);

/** A random UUID (SPEC 2.6): text of the sender's own choice could name somebody. */
const EVENT_ID: Schema<string> = v.pipe(
  TEXT,
  v.regex(/^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/, "must be a UUID"),
);

/** The characters of a semantic version, and too short for much else. */
const SDK_VERSION: Schema<string> = v.pipe(
  TEXT,
  v.regex(/^[0-9][0-9A-Za-z.+-]{0,31}$/, "must be a semantic version of at most 32 characters"),
);

/** The restricted context. */
export const AGGREGATE_CONTEXT: Schema<AggregateContext> = describes<AggregateContext>()(v.pipe(
  RECORD,
  v.check((value) => Object.keys(value).every(isAllowed), `must hold nothing but ${CONTEXT_NAMES.join(", ")}`),
  v.object({
    sdkName: oneOf(SDK_NAME),
    sdkVersion: SDK_VERSION,
    pageUrl: v.exactOptional(PAGE_URL),
    referrer: v.exactOptional(REFERRER),
  }),
  v.metadata({ additionalProperties: false, description: "Context without query, fragment, title or screen." }),
));

/** One pageview. */
export const AGGREGATE_PAGEVIEW: Schema<AggregatePageview> = describes<AggregatePageview>()(v.pipe(
  fields({
    id: EVENT_ID,
    name: oneOf("$pageview"),
    timestamp: UTC_TIME,
    context: v.exactOptional(AGGREGATE_CONTEXT),
  }),
  v.description("A pageview that no visitor or session can be told from."),
));

/** SPEC 2.8, but for the names that are forbidden anywhere: {@linkcode findForbiddenName} looks for those. */
export const AGGREGATE_BODY: Schema<AggregatePageviewPayload> = v.pipe(
  RECORD,
  v.check(({ collection }) => collection === "aggregate", '.collection must be "aggregate"'),
  v.object({
    type: oneOf("event"),
    collection: oneOf("aggregate"),
    batchId: IDENTIFIER,
    events: listOf(AGGREGATE_PAGEVIEW),
    sentAt: UTC_TIME,
  }),
  v.metadata({ ...NOTHING_PERSONAL, description: "Body of pageviews collected while consent is pending." }),
);

function isAllowed(name: string): boolean {
  return CONTEXT_NAMES.includes(name);
}

function isOrigin(text: string): boolean {
  return REFERRER_FORMAT.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function isOriginAndPath(text: string): boolean {
  if (!PAGE_URL_FORMAT.test(text)) return false;
  // Any path will do, and a long one takes long.
  const [scheme, , host] = text.split("/", 3);
  return URL.canParse(`${scheme}//${host}`);
}

/**
 * Finds a forbidden name in the text of a body that is valid JSON. Parsed, a body shows the last of
 * several fields of a name and no `__proto__`; another parser would see the others.
 */
export function findForbiddenName(text: string): string | undefined {
  for (let start = text.indexOf('"'); start >= 0;) {
    const end = findStringEnd(text, start + 1);
    const next = skipSpace(text, end + 1);
    const units = end - start - 1;
    if (text.charCodeAt(next) === COLON && units >= MIN_WRITTEN_UNITS && units <= MAX_WRITTEN_UNITS) {
      const written = text.slice(start + 1, end);
      const first = readUnit(written, 0);
      const found = FORBIDDEN_NAMES.find((name) => name.charCodeAt(0) === first && isWritten(name, written));
      if (found !== undefined) return found;
    }
    start = text.indexOf('"', next);
  }
}

/** Returns whether the text between two quotes is a name, as it is or with escapes. */
function isWritten(name: string, written: string): boolean {
  let at = 0;
  for (let index = 0; index < name.length; index++) {
    if (readUnit(written, at) !== name.charCodeAt(index)) return false;
    at += written.charCodeAt(at) === BACKSLASH ? ESCAPE_UNITS : 1;
  }
  return at === written.length;
}

/** Reads a unit of a string, with or without escape. The short escapes, such as `\n`, stand for no letter. */
function readUnit(written: string, at: number): number {
  const unit = written.charCodeAt(at);
  if (unit !== BACKSLASH) return unit;
  return written[at + 1] === "u" ? Number.parseInt(written.slice(at + 2, at + ESCAPE_UNITS), 16) : NaN;
}

/** Returns where the quote is that ends a string. */
function findStringEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at;
    if (unit === BACKSLASH) at += 1;
  }
  return text.length;
}

/** Returns where the first unit is that isn't a blank or a line break, of which valid JSON has no others. */
function skipSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= SPACE) at += 1;
  return at;
}

/**
 * Finds the path of an identity or a session anywhere in a body, unknown fields included: `.events[0].identity`. Made of
 * a hit alone: a body may have a hundred thousand values.
 */
export function findPersonalData(value: object): string | undefined {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const path = findInItem(value[index]);
      if (path !== undefined) return `[${index}]${path}`;
    }
    return undefined;
  }
  for (const name in value) {
    if (FORBIDDEN_NAMES.includes(name)) return buildStep(name);
    const path = findInItem(Reflect.get(value, name));
    if (path !== undefined) return buildStep(name) + path;
  }
}

function findInItem(item: unknown): string | undefined {
  return typeof item === "object" && item !== null ? findPersonalData(item) : undefined;
}

// A name that the sender made up may itself be personal: a message never repeats it.
function buildStep(name: string): string {
  return KNOWN_NAMES.includes(name) ? `.${name}` : ".*";
}
