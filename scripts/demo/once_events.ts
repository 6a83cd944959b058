/**
 * Events that the scripted visit must leave in the store, and the comparison with those that are there.
 *
 * @module
 */
import type { StoredEvent } from "@vendor/ingest";
import { urlPath } from "../../src/ingest/server/demo/feed_row.ts";

/** A stored event, reduced to what a run can know in advance: identifiers become `V1`, `S1` in order of appearance. */
export interface EventLine {
  /** Event name. */
  readonly name: string;
  /** Full or aggregate. */
  readonly collection: StoredEvent["collection"];
  /** `userId`, `anonymous` for null, or `-` without identity. */
  readonly user: string;
  /** Visitor, or `-`. */
  readonly visitor: string;
  /** Session, or `-`. */
  readonly session: string;
  /** Path, query and fragment of the page. */
  readonly page: string;
  /** Names of the context's fields beyond `sdkName` and `sdkVersion`, sorted. */
  readonly context: string;
  /** Properties as JSON, or `-`. */
  readonly properties: string;
  /** Traits as JSON, or `-`. */
  readonly traits: string;
}

/** Fields that the table shows; the others are compared all the same. */
export const COLUMNS: readonly (keyof EventLine)[] = ["name", "collection", "user", "visitor", "session", "page"];

const FIELDS: readonly (keyof EventLine)[] = [...COLUMNS, "context", "properties", "traits"];

const NONE = "-";
const AGGREGATE = { collection: "aggregate", user: NONE, visitor: NONE, session: NONE, traits: NONE } as const;
const FULL = { collection: "full", context: "pageTitle pageUrl referrer screenHeight screenWidth" } as const;
const ADA = { ...FULL, user: "ada", visitor: "V1", session: "S1", traits: '{"plan":"team"}' } as const;
const AFTER_RESET = { ...FULL, user: "anonymous", visitor: "V2", session: "S2", traits: NONE } as const;
const SENCHA = "/teas/sencha?ref=list";
const BLACK = "/teas?kind=black";

/** Events that `visit()` must have led to, in this order. */
export const EXPECTED: readonly EventLine[] = [
  // Pending: pages without query or fragment, and nobody.
  { ...AGGREGATE, name: "$pageview", page: "/", context: "pageUrl", properties: NONE },
  { ...AGGREGATE, name: "$pageview", page: "/teas", context: "pageUrl referrer", properties: NONE },
  // Granted: the whole address, and who. What was identified before applies now.
  { ...ADA, name: "$pageview", page: SENCHA, properties: NONE },
  { ...ADA, name: "basket_add", page: SENCHA, properties: '{"tea":"sencha","grams":50}' },
  { ...ADA, name: "cycle", page: SENCHA, properties: '{"self":"[Circular]"}' },
  // A push and a replace in one task are one pageview; page() records another.
  { ...ADA, name: "$pageview", page: BLACK, properties: NONE },
  { ...ADA, name: "$pageview", page: BLACK, properties: NONE },
  // After reset() another visitor, another session.
  { ...AFTER_RESET, name: "signed_out", page: BLACK, properties: NONE },
  { ...AFTER_RESET, name: "$pageview", page: SENCHA, properties: NONE },
  // Denied: nothing.
];

/** Reduces stored events to lines. */
export function toLines(events: readonly StoredEvent[]): readonly EventLine[] {
  const visitorLabel = createLabels("V");
  const sessionLabel = createLabels("S");
  return events.map(({ name, collection, identity, sessionId, context, properties }) => ({
    name,
    collection,
    user: identity === undefined ? NONE : identity.userId ?? "anonymous",
    visitor: visitorLabel(identity?.anonymousId),
    session: sessionLabel(sessionId),
    page: urlPath(context?.pageUrl ?? ""),
    context: Object.keys(context ?? {}).filter((field) => !field.startsWith("sdk")).sort().join(" "),
    properties: toText(properties),
    traits: toText(identity?.traits),
  }));
}

/** Says line by line where what is stored differs from what was expected; empty when nothing does. */
export function compareLines(expected: readonly EventLine[], stored: readonly EventLine[]): readonly string[] {
  const length = Math.max(expected.length, stored.length);
  return Array.from({ length }, (_, index) => [expected[index], stored[index]].map(describeLine))
    .flatMap(([wanted, found], index) =>
      wanted === found ? [] : [`event ${index + 1}: there is ${found}, expected ${wanted}`]
    );
}

function describeLine(line: EventLine | undefined): string {
  return line === undefined ? "nothing" : FIELDS.map((field) => line[field]).join(" ");
}

function toText(data: Readonly<Record<string, unknown>> | undefined): string {
  return data === undefined ? NONE : JSON.stringify(data);
}

function createLabels(prefix: string): (id: string | undefined) => string {
  const labels = new Map<string, string>();
  return (id) => {
    if (id === undefined) return NONE;
    const label = labels.get(id) ?? `${prefix}${labels.size + 1}`;
    labels.set(id, label);
    return label;
  };
}
