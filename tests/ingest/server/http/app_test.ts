import { assertEquals, assertStringIncludes } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Gauge, Registry } from "prom-client";
import * as v from "valibot";
import { createMemorySink, type EventSink } from "../../../../src/ingest/mod.ts";
import { type App, type AppOptions, createApp } from "../../../../src/ingest/server/http/app.ts";
import { assertReadable } from "../../answers.ts";
import { createFailingSink, EVENT, FULL, KEY, ORIGIN, post, URL_OF_INGEST } from "../../fixtures.ts";
import { watchRejections } from "../../watch_rejections.ts";
import { ask } from "./ask.ts";

const AGGREGATE = { ...FULL, events: [EVENT, { ...EVENT, id: "e-2" }] };

function setUp(options: Partial<AppOptions> = {}): { app: App; lines: string[] } {
  const lines: string[] = [];
  const app = createApp({
    keys: [{ apiKey: KEY, origins: [ORIGIN], name: "shop" }],
    sink: createMemorySink(),
    path: "/v1/events",
    maxPending: 10,
    requestTimeoutMs: 1_000,
    log: (...line) => lines.push(JSON.stringify(line)),
    ...options,
  });
  return { app, lines };
}

async function get(app: App, path: string, method = "GET"): Promise<[number, string]> {
  const answer = await ask(app, new Request(`http://localhost${path}`, { method }));
  return [answer.status, await answer.text()];
}

Deno.test("createApp() says that it is alive, and ready when its sink is", async () => {
  const { app } = setUp();

  assertEquals(await get(app, "/healthz"), [200, "ok\n"]);
  assertEquals(await get(app, "/readyz"), [200, "ready\n"]);
  assertEquals((await get(app, "/readyz", "POST"))[0], 404);
});

Deno.test("createApp() says within 2 seconds that a sink doesn't answer", async () => {
  using time = new FakeTime();
  const { app } = setUp({ sink: { ...createMemorySink(), check: () => new Promise<void>(() => {}) } });

  let status: number | undefined;
  void get(app, "/readyz").then(([answered]) => status = answered);
  await time.tickAsync(1_900);
  const early = status;
  await time.tickAsync(100);

  assertEquals([early, status], [undefined, 503]);
});

Deno.test("createApp() knows own visits by the address that a trusted proxy forwards", async () => {
  const sink = createMemorySink();
  const keys = [{ apiKey: KEY, origins: [ORIGIN], name: "shop", ownVisits: { addresses: ["203.0.113.7"] } }];
  const { app } = setUp({ sink, keys, trustedProxies: ["10.0.0.1"] });
  for (const [index, address] of ["203.0.113.7", "203.0.113.8"].entries()) {
    const body = { ...FULL, events: [{ ...EVENT, id: `e-${index}` }] };
    await ask(app, post(body, { "X-Forwarded-For": address }), { address: "10.0.0.1" });
  }
  const events = await sink.events();

  assertEquals(events.map(({ flag }) => flag), ["own", undefined]);
  assertEquals(JSON.stringify(events).includes("203.0.113"), false);
});

Deno.test("createApp() shows the log of SQLite where there is one", async () => {
  let bytes = 7;
  const { app } = setUp({ logBytes: () => bytes });
  const [, first] = await get(app, "/metrics");
  bytes = 9;

  assertStringIncludes(first, "\nvendor_ingest_sqlite_log_bytes 7\n");
  assertStringIncludes((await get(app, "/metrics"))[1], "\nvendor_ingest_sqlite_log_bytes 9\n");
  assertStringIncludes((await get(setUp().app, "/metrics"))[1], "\nvendor_ingest_sqlite_log_bytes 0\n");
});

Deno.test("createApp() reads the metrics once for all who ask at the same time, and anew for the next", async () => {
  const registry = new Registry();
  let reads = 0;
  new Gauge({ name: "reads", help: "Reads so far.", registers: [registry], collect: () => void (reads += 1) });
  const { app } = setUp({ registry });

  const answers = await Promise.all([1, 2, 3].map(() => get(app, "/metrics")));
  assertEquals([answers.map(([status]) => status), reads], [[200, 200, 200], 1]);
  await get(app, "/metrics");

  assertEquals(reads, 2);
});

Deno.test("createApp() leaves tokens of a key to other addresses", async () => {
  const rateLimit = { requestsPerSecond: 0.001, burst: 4 };
  const { app } = setUp({ keys: [{ apiKey: KEY, origins: [ORIGIN], rateLimit }] });

  const statuses = [];
  for (const end of [7, 7, 7, 7, 8, 8]) {
    statuses.push((await ask(app, post(FULL), { address: `203.0.113.${end}` })).status);
  }

  assertEquals(statuses, [202, 202, 202, 429, 202, 429]);
});

Deno.test("createApp() isn't ready when its sink isn't, and logs why", async () => {
  const sink: EventSink = { ...createMemorySink(), check: () => Promise.reject(new Error("no leader")) };
  const { app, lines } = setUp({ sink });

  assertEquals(await get(app, "/readyz"), [503, "not ready\n"]);
  assertEquals(await get(app, "/healthz"), [200, "ok\n"]);
  assertEquals(lines, ['["warn","not ready",{"reason":"no leader"}]']);
});

Deno.test("createApp() isn't ready any more once it stops, and takes nothing more", async () => {
  const { app } = setUp();

  await app.stop();

  assertEquals(await get(app, "/readyz"), [503, "not ready\n"]);
  assertEquals(await get(app, "/healthz"), [200, "ok\n"]);
  assertEquals((await ask(app, post(FULL))).status, 503);
});

Deno.test("createApp() counts what breaks the plan, all unknown names as one", async () => {
  const plan = { "Checkout started": v.object({ total: v.string() }) };
  const { app } = setUp({ plan });
  const unknown = ["one", "two", "three"].map((name) => ({ ...EVENT, id: name, name }));
  await ask(app, post({ ...FULL, events: [EVENT, ...unknown] }));

  const [, text] = await get(app, "/metrics");

  assertEquals(text.split("\n").filter((line) => line.startsWith("vendor_ingest_plan_violations_total")), [
    'vendor_ingest_plan_violations_total{name="Checkout started",kind="missing",key="shop"} 0',
    'vendor_ingest_plan_violations_total{name="Checkout started",kind="invalid",key="shop"} 1',
    'vendor_ingest_plan_violations_total{name="",kind="unknown",key="shop"} 3',
  ]);
});

Deno.test("createApp() says in the log that the plan failed, not the sink", async () => {
  const broken = v.pipe(
    v.unknown(),
    v.check(() => {
      throw new Error("u-1");
    }),
  );
  const { app, lines } = setUp({ plan: { "Checkout started": broken } });

  assertEquals((await ask(app, post(FULL))).status, 202);

  assertEquals(lines.slice(0, 1), [
    '["error","the plan couldn\'t check an event",{"reason":"the schema of \\"Checkout started\\" failed"}]',
  ]);
});

Deno.test("createApp() counts requests, events, refusals and latency", async () => {
  const { app } = setUp();
  await ask(app, post(FULL));
  await ask(app, post(AGGREGATE));
  await ask(app, post({ ...FULL, events: [{ ...EVENT, id: "e-3", name: "$pageview", properties: {} }] }));
  await ask(app, post({ ...FULL, events: [{}] }));
  await ask(app, post(FULL, { "X-API-Key": "pk_unknown" }));

  const [, text] = await get(app, "/metrics");
  const lines = text.split("\n");

  for (
    const line of [
      'vendor_ingest_requests_total{status="202"} 3',
      'vendor_ingest_requests_total{status="400"} 1',
      'vendor_ingest_requests_total{status="401"} 1',
      'vendor_ingest_events_accepted_total{key="shop"} 3',
      'vendor_ingest_events_duplicate_total{key="shop"} 1',
      'vendor_ingest_events_erased_total{key="shop"} 0',
      'vendor_ingest_events_collected_total{collection="full"} 3',
      'vendor_ingest_pageviews_collected_total{collection="full",key="shop"} 1',
      'vendor_ingest_pageviews_collected_total{collection="aggregate",key="shop"} 0',
      'vendor_ingest_refused_total{code="malformed",key="shop"} 1',
      'vendor_ingest_refused_total{code="unknown_key",key=""} 1',
      "vendor_ingest_request_duration_seconds_count 5",
      "vendor_ingest_requests_pending 0",
      "vendor_ingest_bodies_waiting 0",
      "vendor_ingest_bodies_waiting_bytes 0",
    ]
  ) assertEquals(lines.filter((other) => other === line).length, 1, line);
  assertEquals(text.includes(KEY), false);
});

Deno.test("createApp() counts what it turns away", async () => {
  const { app } = setUp({ maxPending: 0 });

  const answer = await ask(app, post(FULL));

  assertEquals([answer.status, answer.headers.get("Retry-After")], [503, "2"]);
  assertStringIncludes((await get(app, "/metrics"))[1], 'vendor_ingest_refused_total{code="overloaded",key=""} 1');
});

Deno.test("createApp() answers a preflight under overload and while it stops", async () => {
  const { app } = setUp({ maxPending: 0 });
  const preflight = () => ask(app, new Request(URL_OF_INGEST, { method: "OPTIONS", headers: { Origin: ORIGIN } }));

  const overloaded = await preflight();
  await app.stop();
  const stopping = await preflight();

  assertEquals([overloaded.status, stopping.status], [204, 204]);
});

Deno.test("createApp() counts a request as one at work once its body is there, and says which bodies wait", async () => {
  const { app } = setUp({ maxPending: 1, trustedProxies: ["127.0.0.1"] });
  const peer = { address: "127.0.0.1" };
  const stalled = Array.from({ length: 100 }, () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    writer.write(new TextEncoder().encode("{")).catch(() => {});
    return { answer: ask(app, post(readable, { "X-Forwarded-For": "203.0.113.9" }), peer), writer };
  });
  const wait = async (): Promise<boolean> =>
    !(await get(app, "/metrics"))[1].includes("vendor_ingest_bodies_waiting_bytes 100\n");
  // Until they wait. A body that doesn't come ends by itself after some seconds.
  for (let turn = 0; turn < 1000 && await wait(); turn++) await Promise.resolve();

  const same = await ask(app, post(FULL, { "X-Forwarded-For": "203.0.113.9" }), peer);
  const other = await ask(app, post(FULL, { "X-Forwarded-For": "203.0.113.10" }), peer);
  const [, metrics] = await get(app, "/metrics");
  await Promise.all(stalled.map(({ writer }) => writer.close()));
  await Promise.all(stalled.map(({ answer }) => answer));

  assertEquals([same.status, same.headers.get("Retry-After"), other.status], [429, "2", 202]);
  assertReadable(same);
  for (const line of ["bodies_waiting 100", "requests_pending 0", 'bodies_refused_total{bound="address"} 1']) {
    assertStringIncludes(metrics, `vendor_ingest_${line}\n`);
  }
});

Deno.test("createApp() logs each request without key, body, path or identity", async () => {
  const { app, lines } = setUp({ sink: createFailingSink(new Error("disk full")) });

  await ask(app, post(FULL));
  await ask(app, new Request("https://ingest.example/ada@example.com?user=ada"));

  const masked = lines.map((line) => line.replace(/"durationMs":\d+/, '"durationMs":0'));
  assertEquals(masked, [
    `["error","events couldn't be stored",{"reason":"disk full"}]`,
    '["debug","request",{"method":"POST","status":503,"durationMs":0}]',
    '["debug","request",{"method":"GET","status":404,"durationMs":0}]',
  ]);
});

Deno.test("createApp() asks other routes before the ingest", async () => {
  const { app } = setUp({
    routes: [
      (request) => Promise.resolve(new URL(request.url).pathname === "/reports" ? new Response("report") : undefined),
    ],
  });

  assertEquals(await get(app, "/reports"), [200, "report"]);
  assertEquals((await ask(app, post(FULL))).status, 202);
});

Deno.test("createApp() answers 503 when a route fails", async () => {
  const { app, lines } = setUp({ routes: [() => Promise.reject(new Error("bug"))] });

  const request = new Request("https://ingest.example/reports", { headers: { Origin: ORIGIN } });
  const { status, headers } = await ask(app, request);

  assertEquals([status, headers.get("Retry-After"), headers.get("Access-Control-Allow-Origin")], [503, "5", ORIGIN]);
  assertEquals(lines, ['["error","a request failed",{"reason":"bug"}]']);
});

Deno.test("createApp() answers a Host that is none as the ingest does, whatever is mounted beside it", async () => {
  const { app } = setUp({ routes: [(request) => Promise.resolve(new URL(request.url) && undefined)] });
  const request = Object.defineProperty(post(FULL), "url", { value: "http://[/v1/events" });

  const answer = await ask(app, request);
  await answer.body?.cancel();

  assertEquals([answer.status, answer.headers.get("Access-Control-Allow-Origin")], [400, ORIGIN]);
});

Deno.test("createApp() outlives listeners whose promise rejects", async () => {
  const rejections = watchRejections();
  const reject = () => Promise.reject(new Error("broken feed"));
  const { app } = setUp({ onEvents: reject, onOutcome: reject });

  const answer = await ask(app, post(FULL));

  assertEquals([answer.status, await rejections.stop()], [202, []]);
});

Deno.test("createApp() tells of events that the plan refuses, as of requests that are refused", async () => {
  const refused: unknown[] = [];
  const { app } = setUp({
    plan: { purchase: v.object({ total: v.number() }) },
    planMode: "refuse",
    onRefused: ({ code, keyName, count, reason }) => refused.push([code, keyName, count, reason]),
  });
  const events = [{ ...EVENT, id: "e-1", name: "a" }, { ...EVENT, id: "e-2", name: "b" }];

  await ask(app, post({ ...FULL, events }));
  await ask(app, post("{"));

  assertEquals(refused, [
    ["refused_by_plan", "shop", 2, undefined],
    ["malformed", "shop", undefined, "body must be JSON"],
  ]);
});
