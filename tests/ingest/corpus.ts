/**
 * Bodies that break one rule each, and bodies at the edge of the rules (SPEC 2.4 to 2.8).
 *
 * @module
 */
import { AGGREGATE, AGGREGATE_CONTEXT, CONTEXT, EVENT, FULL, IDENTITY, PAGEVIEW, without } from "./fixtures.ts";

const full = (changes: object) => ({ ...FULL, ...changes });
const second = (changes: object) => full({ events: [EVENT, { ...EVENT, id: "e-2", ...changes }] });
const aggregate = (changes: object) => ({ ...AGGREGATE, ...changes });
const view = (changes: object) => aggregate({ events: [{ ...PAGEVIEW, ...changes }] });
const viewContext = (changes: object) => view({ context: { ...AGGREGATE_CONTEXT, ...changes } });

const RESTRICTED = "events[0].context must hold nothing but sdkName, sdkVersion, pageUrl, referrer";
const PATH_ONLY = "events[0].context.pageUrl must be an origin and path, without query, fragment or credentials";
const ORIGIN_ONLY = "events[0].context.referrer must be an origin only";

/** Bodies with one fault each, and the sentence that names it. */
export const MALFORMED: readonly (readonly [message: string, body: unknown])[] = [
  ["body must be JSON", ""],
  ["body must be JSON", "{"],
  ["body must be JSON", "{'type':'event'}"],
  ["body must be JSON", `${JSON.stringify(FULL)} trailing`],
  ["body must be JSON", '{"screenWidth":NaN}'],
  ["body must be UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
  ["body must not nest deeper than 100 levels", second({ properties: JSON.parse(nest(98)) })],
  ["body must not nest deeper than 100 levels", "[".repeat(200_000) + "]".repeat(200_000)],
  ["body must be an object", "null"],
  ["body must be an object", "[]"],
  ["body must be an object", '"text"'],
  ["body must be an object", "12"],

  ["type is required", without(FULL, "type")],
  ['type must be "identity" or "event"', full({ type: "Event" })],
  ['type must be "identity" or "event"', full({ type: null })],
  ["batchId is required", without(FULL, "batchId")],
  ["batchId must be 1-128 characters", full({ batchId: "" })],
  ["batchId must be 1-128 characters", full({ batchId: "b".repeat(129) })],
  ["batchId must be a string", full({ batchId: 7 })],
  ["sessionId is required", without(FULL, "sessionId")],
  ["sessionId must be a string", full({ sessionId: null })],
  ["sessionId must be 1-128 characters", full({ sessionId: "" })],
  ["identity is required", without(FULL, "identity")],
  ["identity must be an object", full({ identity: "u-1" })],
  ["identity.userId is required", full({ identity: without(IDENTITY, "userId") })],
  ["identity.userId must be a string or null", full({ identity: { userId: 7 } })],
  ["identity.anonymousId must be a string", full({ identity: { userId: null, anonymousId: null } })],
  ["identity.anonymousId must be 1-128 characters", full({ identity: { userId: null, anonymousId: "" } })],
  ["identity.traits must be an object", full({ identity: { userId: null, traits: [] } })],
  ["events is required", without(FULL, "events")],
  ["events must be an array", full({ events: { length: 1 } })],
  ["sentAt is required", without(FULL, "sentAt")],
  ["sentAt must be an ISO 8601 UTC time", full({ sentAt: 1_772_359_204_000 })],
  ["sentAt must be an ISO 8601 UTC time", full({ sentAt: "2026-03-01T10:00:04.000+01:00" })],
  ["context is required", without(FULL, "context")],
  ["context must be an object", full({ context: null })],
  ["context.sdkName is required", full({ context: without(CONTEXT, "sdkName") })],
  ['context.sdkName must be "@vendor/sdk"', full({ context: { ...CONTEXT, sdkName: "@other/sdk" } })],
  ["context.sdkVersion is required", full({ context: without(CONTEXT, "sdkVersion") })],
  ["context.sdkVersion must be a string", full({ context: { ...CONTEXT, sdkVersion: 1 } })],
  ["context.pageUrl must be a string", full({ context: { ...CONTEXT, pageUrl: null } })],
  ["context.referrer must be a string", full({ context: { ...CONTEXT, referrer: {} } })],
  ["context.pageTitle must be a string", full({ context: { ...CONTEXT, pageTitle: 1 } })],
  ["context.screenWidth must be a number", full({ context: { ...CONTEXT, screenWidth: "1280" } })],
  ["context.screenHeight must be a number", JSON.stringify(full({ events: [] })).replace("720.5", "1e999")],

  ["events[1] must be an object", full({ events: [EVENT, "e-2"] })],
  ["events[0] must be an object", full({ events: [null] })],
  ["events[0].id is required", full({ events: [without(EVENT, "id")] })],
  ["events[1].id must be a string", second({ id: 2 })],
  ["events[1].id must be 1-128 characters", second({ id: "" })],
  ["events[1].id must be well-formed text", second({ id: "\ud800" })],
  ["events[0].name is required", full({ events: [without(EVENT, "name")] })],
  ["events[1].name must be a string", second({ name: null })],
  ["events[1].name must be 1-100 characters", second({ name: "" })],
  ["events[1].name must be 1-100 characters", second({ name: "n".repeat(101) })],
  ["events[1].name must be 1-100 characters", second({ name: "😀".repeat(101) })],
  ["events[0].timestamp is required", full({ events: [without(EVENT, "timestamp")] })],
  ["events[1].timestamp must be an ISO 8601 UTC time", second({ timestamp: "yesterday" })],
  ["events[1].timestamp must be an ISO 8601 UTC time", second({ timestamp: "2026-03-01" })],
  ["events[1].timestamp must be an ISO 8601 UTC time", second({ timestamp: "2026-03-01T10:00:00" })],
  ["events[1].timestamp must be an ISO 8601 UTC time", second({ timestamp: "2026-02-30T10:00:00Z" })],
  ["events[1].timestamp must be an ISO 8601 UTC time", second({ timestamp: "2026-13-01T10:00:00Z" })],
  ["events[1].timestamp must be an ISO 8601 UTC time", second({ timestamp: "2026-03-01T25:00:00Z" })],
  ["events[1].properties must be an object", second({ properties: null })],
  ["events[1].properties must be an object", second({ properties: [1] })],
  ["events[1].sessionId must be a string", second({ sessionId: 7 })],
  ["events[1].identity must be an object", second({ identity: null })],
  ["events[1].identity.userId is required", second({ identity: {} })],
  ["events[1].identity.traits must be an object", second({ identity: { userId: null, traits: "t" } })],
  ["events[1].context must be an object", second({ context: [] })],
  ["events[1].context.sdkVersion is required", second({ context: { sdkName: "@vendor/sdk" } })],

  ['collection must be "aggregate"', aggregate({ collection: "full" })],
  ['collection must be "aggregate"', aggregate({ collection: null })],
  ['collection must be "aggregate"', { ...FULL, collection: "Aggregate" }],
  ["type is required", without(AGGREGATE, "type")],
  ['type must be "event"', aggregate({ type: "identity" })],
  ["batchId is required", without(AGGREGATE, "batchId")],
  ["events is required", without(AGGREGATE, "events")],
  ["events must be an array", aggregate({ events: null })],
  ["sentAt is required", without(AGGREGATE, "sentAt")],
  ["events[0].id is required", aggregate({ events: [without(PAGEVIEW, "id")] })],
  ["events[0].timestamp must be an ISO 8601 UTC time", view({ timestamp: "" })],
  ['events[0].name must be "$pageview"', view({ name: "Checkout started" })],
  ['events[0].name must be "$pageview"', view({ name: "$pageview " })],
  ["events[0].context must be an object", view({ context: null })],
  ['events[0].context.sdkName must be "@vendor/sdk"', viewContext({ sdkName: "" })],
  [PATH_ONLY, viewContext({ pageUrl: "https://shop.example/cart?step=2" })],
  [PATH_ONLY, viewContext({ pageUrl: "https://shop.example/cart?" })],
  [PATH_ONLY, viewContext({ pageUrl: "https://shop.example/cart#pay" })],
  [PATH_ONLY, viewContext({ pageUrl: "https://jo:pw@shop.example/cart" })],
  [PATH_ONLY, viewContext({ pageUrl: "https://jo@shop.example/cart" })],
  [PATH_ONLY, viewContext({ pageUrl: "/cart" })],
  [PATH_ONLY, viewContext({ pageUrl: "javascript:alert(1)" })],
  ["events[0].context.pageUrl must be a string", viewContext({ pageUrl: null })],
  [ORIGIN_ONLY, viewContext({ referrer: "https://search.example/" })],
  [ORIGIN_ONLY, viewContext({ referrer: "https://search.example/?q=shoes" })],
  [ORIGIN_ONLY, viewContext({ referrer: "https://jo@search.example" })],
  [ORIGIN_ONLY, viewContext({ referrer: "null" })],
  [ORIGIN_ONLY, viewContext({ referrer: "" })],
  [RESTRICTED, viewContext({ pageTitle: "Cart" })],
  [RESTRICTED, viewContext({ screenWidth: 1280 })],
  [RESTRICTED, viewContext({ language: "de" })],
  ["identity must not be in an aggregate body", aggregate({ identity: IDENTITY })],
  ["sessionId must not be in an aggregate body", aggregate({ sessionId: "s-1" })],
  ["userId must not be in an aggregate body", aggregate({ userId: null })],
  ["events[0].identity must not be in an aggregate body", view({ identity: { userId: null } })],
  ["events[0].sessionId must not be in an aggregate body", view({ sessionId: "s-1" })],
  ["events[0].properties must not be in an aggregate body", view({ properties: {} })],
  ["events[0].traits must not be in an aggregate body", view({ traits: {} })],
  ["events[0].context.anonymousId must not be in an aggregate body", viewContext({ anonymousId: "a-1" })],
  ["*[1].*.sessionId must not be in an aggregate body", aggregate({ x: [0, { y: { sessionId: 1 } }] })],
];

/** Bodies that are taken, and what is special about them. */
export const TAKEN: readonly (readonly [description: string, body: unknown])[] = [
  ["a name of one character", second({ name: "n" })],
  ["a name of 100 code points in 200 units", second({ name: "😀".repeat(100) })],
  ["a name with a lone surrogate", second({ name: "\ud800" })],
  ["a name with a leading $", second({ name: "$custom" })],
  ["ids that are no UUIDs, up to 128 characters", second({ id: "i".repeat(128), sessionId: "7" })],
  ["a time without fraction", second({ timestamp: "2026-02-28T23:59:59Z" })],
  ["the leap day", second({ timestamp: "2028-02-29T00:00:00.123456Z" })],
  ["an anonymous identity", second({ identity: { userId: null } })],
  ["properties nested 97 levels", second({ properties: JSON.parse(nest(97)) })],
  ["an identity as a value in the properties of a full event", second({ properties: { userId: "u" } })],
  ["an aggregate path without slash", viewContext({ pageUrl: "https://shop.example" })],
  ["an aggregate path with escapes", viewContext({ pageUrl: "http://localhost:3000/a%20b" })],
  ["a forbidden name as a value in an aggregate", aggregate({ batchId: "identity" })],
];

/** Returns the text of an object that is that many levels deep. */
function nest(levels: number): string {
  return '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
}
