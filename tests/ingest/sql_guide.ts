/**
 * The queries of docs/sql.md, a small store that they are asked of, and their answers.
 *
 * @module
 */
import { readMarkdown } from "../../scripts/docs/markdown.ts";
import type { StoredEvent } from "../../src/ingest/mod.ts";

/** The key that the guide names. */
export const GUIDE_KEY = "pk_live_123";

/** The visitor that the guide names. */
const ADA = "6f1c0e9a-0d3b-4a57-8c1e-7b1f0c2d9e44";

/** A row, cell by cell. */
type Cells = readonly (string | number)[];

/** Reads the queries of the guide, in its order, and how ClickHouse makes their view. */
export async function readQueries(): Promise<{ readonly view: string; readonly queries: readonly string[] }> {
  const guide = await Deno.readTextFile(new URL("../../docs/sql.md", import.meta.url));
  const texts = readMarkdown(guide).blocks.filter(({ language }) => language === "sql")
    .map(({ code }) => code.trim().replace(/;$/, ""));
  const view = texts.find((text) => text.startsWith("-- ClickHouse\n")) ?? "";
  return { view, queries: texts.filter((text) => text !== view) };
}

/** Writes the cells of an answer in one way: what is missing, times, and numbers, which come as texts as well. */
export function toCells(row: Readonly<Record<string, unknown>>): Cells {
  return Object.values(row).map((value) => {
    if (value === null) return "";
    const text = value instanceof Date ? value.toISOString() : String(value);
    const [, day, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3})$/.exec(text) ?? [];
    if (day !== undefined) return `${day}T${time}Z`;
    return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
  });
}

let made = 0;

interface Given {
  readonly at: string;
  readonly name?: string;
  readonly path?: string;
  readonly referrer?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

function build(person: readonly [visitor: string, session: string] | undefined, given: Given): StoredEvent {
  const { at, name = "$pageview", path = "/", referrer, properties } = given;
  const timestamp = `${at}.000Z`;
  return {
    id: `e-${String(made++).padStart(3, "0")}`,
    name,
    collection: person === undefined ? "aggregate" : "full",
    timestamp,
    receivedAt: timestamp,
    ...(properties && { properties }),
    ...(person && { sessionId: person[1], identity: { userId: null, anonymousId: person[0] } }),
    context: {
      sdkName: "@vendor/sdk",
      sdkVersion: "0.1.0",
      pageUrl: `https://shop.example${path}`,
      ...(referrer && { referrer }),
    },
  };
}

/** What is stored: of three visitors, and of some who have not chosen. */
export const GUIDE_EVENTS: readonly StoredEvent[] = [
  // Before the range.
  build(["bob", "s-0"], { at: "2025-12-31T23:59:59" }),
  // Monday, January 5th: from a search to a sign-up.
  build([ADA, "s-1"], {
    at: "2026-01-05T10:00:00",
    path: "/teas?q=green#top",
    referrer: "https://search.example/?q=tea",
  }),
  build([ADA, "s-1"], { at: "2026-01-05T10:00:10", path: "/pricing", referrer: "https://shop.example/teas" }),
  build([ADA, "s-1"], { at: "2026-01-05T10:00:20", path: "/pricing", name: "plan_chosen" }),
  build([ADA, "s-1"], {
    at: "2026-01-05T10:01:00",
    path: "/pricing",
    name: "signup",
    // A number that no integer of 64 bits is.
    properties: { plan: "pro", seats: 3, total: 2 ** 64 },
  }),
  // A bounce, though engagement was recorded.
  build(["bob", "s-2"], { at: "2026-01-05T11:00:00", path: "/teas" }),
  build(["bob", "s-2"], { at: "2026-01-05T11:00:10", path: "/teas", name: "$engagement", properties: { ms: 9000 } }),
  build(undefined, { at: "2026-01-05T12:00:00", path: "/teas", referrer: "https://search.example" }),
  build(undefined, { at: "2026-01-05T12:00:10", path: "", referrer: "https://news.example" }),
  // Sunday of the next week: bob signs up too late, and ada is back.
  build(["bob", "s-3"], { at: "2026-01-08T09:00:00", path: "/pricing", name: "plan_chosen" }),
  build(["bob", "s-4"], { at: "2026-01-18T09:00:00", path: "/pricing", name: "signup", properties: { plan: "free" } }),
  build([ADA, "s-5"], { at: "2026-01-18T10:00:00", path: "/account" }),
  // The last day: eve signs up within the next month.
  build(["eve", "s-6"], { at: "2026-01-31T23:00:00", path: "/pricing" }),
  build(["eve", "s-6"], { at: "2026-01-31T23:00:30", path: "/pricing", name: "plan_chosen" }),
  build(["eve", "s-7"], { at: "2026-02-02T08:00:00", path: "/pricing", name: "signup", properties: { plan: "pro" } }),
  build(undefined, { at: "2026-02-02T09:00:00", path: "/teas" }),
  // Senders whose clocks are far off: ClickHouse's usual dates end in 2149, and begin in 1970.
  build(["mia", "s-8"], { at: "2199-06-01T00:00:00" }),
  build(["leo", "s-9"], { at: "1901-06-01T00:00:00" }),
];

/** What each query answers. */
export const ANSWERS: readonly (readonly Cells[])[] = [
  // Visitors by day.
  [["2026-01-05", 2, 5], ["2026-01-08", 1, 0], ["2026-01-18", 2, 1], ["2026-01-31", 1, 1]],
  // Top pages.
  [["/teas", 3, 2], ["/pricing", 2, 3], ["/", 1, 0], ["/account", 1, 1]],
  // Landing pages.
  [["/teas", 2], ["/account", 1], ["/pricing", 1]],
  // Referrers.
  [["(none)", 3, 3], ["https://search.example", 2, 1], ["https://news.example", 1, 0]],
  // A funnel of two steps.
  [[3, 1]],
  // Retention by week.
  [
    ["1901-05-27", 0, 1],
    ["2025-12-29", 0, 1],
    ["2025-12-29", 1, 1],
    ["2025-12-29", 2, 1],
    ["2026-01-05", 0, 1],
    ["2026-01-05", 1, 1],
    ["2026-01-26", 0, 1],
    ["2026-01-26", 1, 1],
    ["2199-05-27", 0, 1],
  ],
  // A property's values.
  [['"free"', 1, 1], ['"pro"', 1, 1]],
  // Share of views with consent.
  [["2026-01-05", 3, 5, 60], ["2026-01-18", 1, 1, 100], ["2026-01-31", 1, 1, 100]],
  // Sessions and bounces.
  [["2026-01-05", 2, 3, 2, 1], ["2026-01-08", 1, 0, 0, 0], ["2026-01-18", 2, 1, 1, 1], ["2026-01-31", 1, 1, 1, 0]],
  // One visitor's events.
  [
    ["2026-01-05T10:00:00.000Z", "$pageview", "/teas", ""],
    ["2026-01-05T10:00:10.000Z", "$pageview", "/pricing", ""],
    ["2026-01-05T10:00:20.000Z", "plan_chosen", "/pricing", ""],
    ["2026-01-05T10:01:00.000Z", "signup", "/pricing", '{"plan":"pro","seats":3,"total":18446744073709552000}'],
    ["2026-01-18T10:00:00.000Z", "$pageview", "/account", ""],
  ],
];
