import { assertEquals, assertThrows } from "@std/assert";
import { createReportRoutes } from "../../../../src/ingest/server/cli/report_routes.ts";
import { createIngest, createMemorySink } from "../../../../src/ingest/mod.ts";
import { createReferenceStore } from "../../reports/reference_store.ts";
import { createEventModel } from "../../reports/event_model.ts";
import { createApp } from "../../../../src/ingest/server/http/app.ts";
import { listen } from "../../../../src/ingest/server/http/listen.ts";
import { UNKNOWN } from "../../../../src/ingest/server/http/sender.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";
import { AGGREGATE, KEY, NOW_MS, ORIGIN, post } from "../../fixtures.ts";

const SECRET = "sk_test_0123456789";
const refusals = { add: () => {} };
const KEYS = [{ apiKey: KEY, origins: [ORIGIN], secretKey: SECRET, pageviewAllowance: 100 }] as const;

Deno.test("createReportRoutes() tells how much of the month's allowance is used", async () => {
  const { sink, eventsOf } = createEventModel();
  const opened = { sink, reader: createReferenceStore(eventsOf), close: sink.close };
  await createIngest({ keys: KEYS, sink, now: () => NOW_MS })(post(AGGREGATE));

  const [route] = createReportRoutes(KEYS, { opened, log: () => {}, now: () => NOW_MS, refusals });
  const answer = await route?.(
    new Request("http://localhost/reports?format=json", { headers: { Authorization: `Bearer ${SECRET}` } }),
    UNKNOWN,
  );

  assertEquals((await answer?.json()).allowance, { used: 1, limit: 100, month: "2026-03" });
});

Deno.test("createReportRoutes() reads the form for one person, whose body the server keeps apart", async () => {
  const { sink, eventsOf } = createEventModel();
  const opened = { sink, reader: createReferenceStore(eventsOf), close: sink.close };
  const routes = createReportRoutes(KEYS, { opened, log: () => {}, now: () => NOW_MS, refusals });
  const app = createApp({
    keys: KEYS,
    sink,
    path: "/v1/events",
    maxPending: 10,
    requestTimeoutMs: 1_000,
    log: () => {},
    routes,
  });
  const listener = await listen({
    host: "127.0.0.1",
    port: 0,
    portFlag: "--port",
    requestTimeoutMs: 1_000,
    handle: app.handle,
  });
  const read = async (userId: string): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${listener.port}/reports?view=person&format=json`, {
      method: "POST",
      headers: { Authorization: `Bearer ${SECRET}` },
      body: new URLSearchParams({ userId }),
    });
    const { of, error } = await answer.json();
    return [answer.status, of ?? error.code];
  };

  const answers = [await read("ada"), await read("a".repeat(20_000))];
  await listener.stop();

  assertEquals(answers, [[200, { userId: "ada" }], [413, "body_too_large"]]);
});

Deno.test("createReportRoutes() leads from the address of the ingest to the reports", async () => {
  const { sink, eventsOf } = createEventModel();
  const opened = { sink, reader: createReferenceStore(eventsOf), close: sink.close };

  const [route] = createReportRoutes(KEYS, { opened, log: () => {}, now: () => NOW_MS, refusals });
  const answer = await route?.(new Request("http://localhost/"), UNKNOWN);
  const posted = await route?.(new Request("http://localhost/", { method: "POST" }), UNKNOWN);

  assertEquals([answer?.status, answer?.headers.get("Location"), posted], [302, "reports", undefined]);
});

Deno.test("createReportRoutes() makes none without a secret, and refuses reports and alerts of a sink that can't be read", () => {
  const sink = createMemorySink();
  const options = { opened: { sink, close: sink.close }, log: () => {}, now: () => NOW_MS, refusals };

  assertEquals(createReportRoutes([{ apiKey: KEY, origins: "any" }], options), []);
  assertThrows(
    () => createReportRoutes(KEYS, options),
    ServerFault,
    "this sink has no reports: they need a folder, or --reports clickhouse:URL",
  );
  assertThrows(
    () => createReportRoutes([{ apiKey: KEY, origins: "any", alertWebhook: "https://hooks.example/T0" }], options),
    ServerFault,
    "this sink has no alerts: they need a folder, or --reports clickhouse:URL",
  );
});
