import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { createFileSink, type StoredEvent } from "../../../../src/ingest/mod.ts";
import {
  type AlertCommand,
  type AlertTools,
  parseAlertCommand,
  runAlertCommand,
} from "../../../../src/ingest/server/cli/alert_command.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";
import { buildEvent, buildPageview, SITE } from "../../reports/fixtures.ts";
import { KEY, storeEvents } from "../../reports/report_store.ts";
import { withFileStore } from "../../stores/file/file_store.ts";
import { withDirectory } from "../../stores/file/in_thread.ts";

/** A Wednesday: the day is Tuesday, beside the Tuesday before. */
const NOW_MS = Date.parse("2026-03-11T08:00:00.000Z");

const [DAY, BEFORE] = ["2026-03-10", "2026-03-03"];

const HOOK = "https://hooks.example/T0/secret";

function parse(...args: readonly string[]): AlertCommand {
  const command = parseAlertCommand(args, { variables: {}, now: NOW_MS });
  if (command === "help") throw new Error("help was asked for");
  return command;
}

/** Pageviews of a day, and orders of as many visitors. */
function day(date: string, { full, aggregate, orders = 0 }: Readonly<Record<string, number>>): readonly StoredEvent[] {
  const timestamp = `${date}T12:00:00.000Z`;
  const list = (count = 0): readonly string[] => Array.from({ length: count }, (_, index) => `${date}-${index}`);
  return [
    ...list(full).map((id) => buildPageview({ timestamp, pageUrl: `${SITE}/`, sessionId: id, anonymousId: id })),
    ...list(aggregate).map(() => buildPageview({ timestamp, pageUrl: `${SITE}/`, collection: "aggregate" })),
    ...list(orders).map((id) =>
      buildEvent({ timestamp, pageUrl: `${SITE}/`, name: "order", sessionId: id, anonymousId: id })
    ),
  ];
}

const QUIET: AlertTools["fetch"] = () => Promise.reject(new Error("nobody is to be told"));

/** Looks for alerts in a store with these events; resolves to the lines that it shows. */
async function look(
  events: readonly StoredEvent[],
  { args = [], settings, fetch = QUIET, lines = [] }: {
    readonly args?: readonly string[];
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly fetch?: AlertTools["fetch"];
    readonly lines?: string[];
  } = {},
): Promise<readonly string[]> {
  await withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    await storeEvents(sink, events);
    await sink.close();
    const keysFile = `${directory}/keys.json`;
    const keys = [{ apiKey: KEY, name: "shop", origins: [SITE], ...settings }];
    await Deno.writeTextFile(keysFile, JSON.stringify({ keys }));
    const named = settings === undefined ? [] : ["--keys-file", keysFile];
    const command = parse("--key", KEY, "--sink", `file:${path}`, ...named, ...args);
    const show = (line: string): void => void lines.push(line);
    assertEquals(await runAlertCommand(command, { now: () => NOW_MS, show, fetch }), lines.length);
  });
  return lines;
}

Deno.test("vendor-ingest alert tells by itself that the share with consent fell to half, and nothing less", async () => {
  const before = day(BEFORE, { full: 80, aggregate: 40 });

  assertEquals(await look([...before, ...day(DAY, { full: 30, aggregate: 90 })]), [
    "https://shop.example, Tue 10 Mar 2026: the share of pageviews with consent was 25%, and 67% a week before.",
  ]);
  assertEquals(await look([...before, ...day(DAY, { full: 50, aggregate: 70 })]), []);
  // Of small numbers each day differs.
  assertEquals(await look([...before, ...day(DAY, { full: 0, aggregate: 99 })]), []);
});

Deno.test("vendor-ingest alert follows the rules of the key", async () => {
  const events = [
    ...day(BEFORE, { full: 20, aggregate: 0, orders: 10 }),
    ...day(DAY, { full: 50, aggregate: 0, orders: 4 }),
  ];
  const goals = { Order: { step: "order" } };
  const alerts = [
    { figure: "visitors", change: "rises", by: 100, atLeast: 10 },
    { figure: "goal:Order", by: 60, atLeast: 10 },
    { figure: "pageviews", change: "rises", by: 200, atLeast: 10 },
    { figure: "sessions", change: "rises", atLeast: 21 },
  ];

  assertEquals(await look(events, { settings: { goals, alerts } }), [
    "https://shop.example, Tue 10 Mar 2026: visitors was 50, and 20 a week before.",
    "https://shop.example, Tue 10 Mar 2026: the goal Order was 4, and 10 a week before.",
  ]);
});

Deno.test("vendor-ingest alert tells a change of just as much as the rule says", async () => {
  const events = [...day(BEFORE, { full: 100, aggregate: 0 }), ...day(DAY, { full: 10, aggregate: 0 })];
  const more = [...day(BEFORE, { full: 100, aggregate: 0 }), ...day(DAY, { full: 110, aggregate: 0 })];

  const fallen = await look(events, { settings: { alerts: [{ figure: "pageviews", by: 90 }] } });
  const risen = await look(more, { settings: { alerts: [{ figure: "pageviews", change: "rises", by: 10 }] } });

  assertEquals([fallen.length, risen.length], [1, 1]);
});

Deno.test("vendor-ingest alert tells a webhook, and never shows its address", async () => {
  const events = [...day(BEFORE, { full: 120, aggregate: 0 }), ...day(DAY, { full: 0, aggregate: 120 })];
  const sent: unknown[] = [];
  const answer = (status: number): AlertTools["fetch"] => (url, { body }) => {
    sent.push([url, JSON.parse(String(body))]);
    return Promise.resolve(new Response("", { status }));
  };
  const args = ["--webhook", HOOK];

  const [text = ""] = await look(events, { args, fetch: answer(200) });
  const lines: string[] = [];
  const fault = await assertRejects(() => look(events, { args, fetch: answer(500), lines }), ServerFault);

  assertEquals(sent[0], [HOOK, {
    text,
    site: SITE,
    day: DAY,
    alerts: [{ figure: "consentShare", value: 0, before: 1, text }],
  }]);
  assertEquals([fault.message, lines], ["the webhook didn't take the alert: 500", [text]]);
});

Deno.test("vendor-ingest alert fails where a webhook leads elsewhere, which would get no message", async () => {
  const events = [...day(BEFORE, { full: 120, aggregate: 0 }), ...day(DAY, { full: 0, aggregate: 120 })];
  for (const status of [302, 307]) {
    const asked: string[] = [];
    await using server = Deno.serve({ port: 0, onListen: () => {} }, (request) => {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      return new Response("", pathname === "/hook" ? { status, headers: { Location: "/login" } } : {});
    });
    const args = ["--webhook", `http://127.0.0.1:${server.addr.port}/hook`];

    const fault = await assertRejects(() => look(events, { args, fetch }), ServerFault);

    assertEquals([fault.message, asked], [`the webhook didn't take the alert: ${status}`, ["/hook"]]);
  }
});

Deno.test("vendor-ingest alert shows what it finds beside a damaged file, and tells the webhook nothing of it", () =>
  withFileStore(async ({ folder, sink, seal }) => {
    await storeEvents(sink, day(BEFORE, { full: 120, aggregate: 0 }));
    await seal();
    await storeEvents(sink, day(DAY, { full: 120, aggregate: 0 }));
    await seal();
    await Deno.truncate(`${folder}/00000002.parquet`, 100);
    await storeEvents(sink, day(DAY, { full: 0, aggregate: 120 }));
    const command = parse("--key", KEY, "--sink", `file:${folder}`, "--webhook", HOOK);
    const lines: string[] = [];
    const show = (line: string): void => void lines.push(line);

    const run = () => runAlertCommand(command, { now: () => NOW_MS, show, fetch: QUIET });
    const { message } = await assertRejects(run, ServerFault);

    assertStringIncludes(message, `the file of events "${folder}/00000002.parquet" can't be read: `);
    assertEquals(lines.length, 1);
  }, { fileEvents: 120 }));

Deno.test("parseAlertCommand() finds yesterday by the clocks of the key, where no other zone is named", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/keys.json`;
    // There it is still Tuesday.
    const key = { apiKey: KEY, name: "shop", origins: [SITE], zone: "Pacific/Honolulu" };
    await Deno.writeTextFile(path, JSON.stringify({ keys: [key] }));

    const dayOf = (...args: readonly string[]): string => parse("--key", KEY, ...args).day;
    assertEquals(dayOf("--keys-file", path), "2026-03-09");
    assertEquals(dayOf("--keys-file", path, "--zone", "UTC"), DAY);
    assertEquals(dayOf(), DAY);
  }));

Deno.test("parseAlertCommand() says what is wrong", () => {
  const fault = (...args: readonly string[]): string => assertThrows(() => parse(...args), ServerFault).message;

  assertEquals(fault(), "there is no key: name one with --key KEY");
  assertEquals(fault("--key", KEY, "--day", "yesterday"), "day must be a day that exists, written as 2026-01-31");
  // fetch() of Node sends nothing to an address with a user.
  for (const webhook of ["hooks.example", "https://ada:secret@hooks.example/T0"]) {
    assertEquals(
      fault("--key", KEY, "--webhook", webhook),
      "webhook must be a URL that begins with https:// or http://, without a user and a password",
    );
  }
});

Deno.test("vendor-ingest alert takes no rule that watches nothing", async () => {
  const cases = [
    [{ figure: "bounce" }, 'name a figure "bounce"; there are consentShare, pageviews, visitors, sessions'],
    [{ figure: "visitors", by: 150 }, "must have by from 1 to 100 where one falls"],
    [{ figure: "visitors", by: 0.5 }, "must have by from 1 to 100 where one falls"],
    [{ figure: "visitors", change: "rises", by: 1001 }, "must have by from 1 to 1000 where one rises"],
    [{ figure: "visitors", atLeast: -1 }, "must have atLeast from 0"],
  ] as const;

  for (const [rule, problem] of cases) {
    const fault = await assertRejects(() => look([], { settings: { alerts: [rule] } }), ServerFault);
    assertEquals(fault.message.endsWith(`can't be used: keys[0].alerts ${problem}`), true, fault.message);
  }
});
