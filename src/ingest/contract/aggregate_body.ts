/**
 * The aggregate body, and the rules that keep a visitor out of it (SPEC 2.8).
 *
 * @module
 */
import * as v from "valibot";
import type { AggregatePageviewPayload, EventContext } from "../../types.ts";
import { SDK_NAME } from "../../version.ts";
import { listOf } from "./full_body.ts";
import { describes, fields, IDENTIFIER, oneOf, RECORD, type Schema, TEXT, UTC_TIME } from "./values.ts";

/** What the context of an aggregate pageview holds. */
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

/** A string of valid JSON, and the colon that makes it a name. */
const STRING = /"((?:[^"\\]+|\\.)*)"(\s*:)?/gs;

/** Refuses what holds personal data; in JSON Schema, by a rule that descends into every value. */
const NOTHING_PERSONAL = { allOf: [{ $ref: "#/$defs/Anonymous" }] };

/** A name or IPv4 address, or an IPv6 address; whether it is one takes more than a pattern. */
const HOST = "([^\\x00-\\x20/\\\\?#@:%<>^|\\[\\]]+|\\[[0-9A-Fa-f:.]+\\])";

/** At most 65535. */
const PORT = "([0-5]?\\d{1,4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])";

/** As browsers write it: `URL` also reads what has other slashes, none at all, or spaces around it. */
const PAGE_URL_PATTERN = `^https?://${HOST}(:${PORT})?(/[^\\x00-\\x1f?#]*)?$`;

const PAGE_URL_FORMAT = new RegExp(PAGE_URL_PATTERN, "u");

const PAGE_URL: Schema<string> = v.pipe(
  TEXT,
  v.check(isOriginAndPath, "must be an origin and path, without query, fragment or credentials"),
  v.metadata({ pattern: PAGE_URL_PATTERN }),
);

const REFERRER: Schema<string> = v.pipe(
  TEXT,
  v.check((text) => URL.canParse(text) && new URL(text).origin === text, "must be an origin only"),
  v.metadata({ pattern: "^[a-z][a-z0-9+.-]*://[^/?#@]+$" }),
);

/** A random UUID (SPEC 2.6): text of the sender's own choice could name somebody. */
const EVENT_ID: Schema<string> = v.pipe(
  TEXT,
  v.regex(/^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/, "must be a UUID"),
);

/** What a semantic version consists of, and too short for much else. */
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

/** SPEC 2.8; the search for an identity comes early, so that no other fault of the body hides it. */
export const AGGREGATE_BODY: Schema<AggregatePageviewPayload> = v.pipe(
  RECORD,
  v.check(({ collection }) => collection === "aggregate", '.collection must be "aggregate"'),
  v.check(isAnonymous, ({ input }) => `${findPersonalData(input)} must not be in an aggregate body`),
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

function isAnonymous(body: Readonly<Record<string, unknown>>): boolean {
  return findPersonalData(body) === undefined;
}

function isOriginAndPath(text: string): boolean {
  return PAGE_URL_FORMAT.test(text) && URL.canParse(text);
}

/** Finds the path of an identity or a session anywhere in the value, unknown fields included. */
function findPersonalData(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [name, item] of Object.entries(value)) {
    const step = isList ? `[${name}]` : buildStep(name);
    if (!isList && FORBIDDEN_NAMES.includes(name)) return step;
    const path = findPersonalData(item);
    if (path !== undefined) return step + path;
  }
}

/**
 * Finds a forbidden name in the text of a body that is valid JSON. Parsed, a body shows the last of
 * several fields of a name and no `__proto__`; whoever parses it otherwise would see the others.
 */
export function findForbiddenName(text: string): string | undefined {
  for (const [, name = "", colon] of text.matchAll(STRING)) {
    if (colon === undefined) continue;
    const plain: string = name.includes("\\") ? JSON.parse(`"${name}"`) : name;
    if (FORBIDDEN_NAMES.includes(plain)) return plain;
  }
}

// A name that the sender made up may itself be personal: a message never repeats it.
function buildStep(name: string): string {
  return KNOWN_NAMES.includes(name) ? `.${name}` : ".*";
}
