import { assertEquals, assertThrows } from "@std/assert";
import { createCountingSink, createIngest, createMemorySink } from "../../../src/ingest/mod.ts";
import { createReportRoutes } from "../../../src/ingest/server/run.ts";
import { UNKNOWN } from "../../../src/ingest/server/sender.ts";
import { ServerFault } from "../../../src/ingest/server/server_fault.ts";
import { AGGREGATE, KEY, NOW_MS, ORIGIN, post } from "../fixtures.ts";

const SECRET = "sk_test_0123456789";
const KEYS = [{ apiKey: KEY, origins: [ORIGIN], secretKey: SECRET, pageviewAllowance: 100 }] as const;

Deno.test("createReportRoutes() tells how much of the month's allowance is used", async () => {
  const sink = createCountingSink(createMemorySink());
  const opened = { sink, reader: sink, close: sink.close };
  await createIngest({ keys: KEYS, sink, now: () => NOW_MS })(post(AGGREGATE));

  const [route] = createReportRoutes(KEYS, { opened, log: () => {}, now: () => NOW_MS });
  const answer = await route?.(
    new Request("http://localhost/reports?format=json", { headers: { Authorization: `Bearer ${SECRET}` } }),
    UNKNOWN,
  );

  assertEquals((await answer?.json()).allowance, { used: 1, limit: 100, month: "2026-03" });
});

Deno.test("createReportRoutes() makes none without a secret, and refuses a sink that can't be read", () => {
  const sink = createMemorySink();
  const options = { opened: { sink, close: sink.close }, log: () => {}, now: () => NOW_MS };

  assertEquals(createReportRoutes([{ apiKey: KEY, origins: "any" }], options), []);
  assertThrows(() => createReportRoutes(KEYS, options), ServerFault, "reports need the memory sink or a SQLite file");
});

Deno.test("createReportRoutes() limits wrong secrets of a stranger, and locks nobody out behind a proxy", async () => {
  const sink = createCountingSink(createMemorySink());
  const [route] = createReportRoutes(KEYS, {
    opened: { sink, reader: sink, close: sink.close },
    log: () => {},
    now: () => NOW_MS,
  });
  const ask = async (secret: string, address?: string): Promise<number | undefined> => {
    const headers = { Authorization: `Bearer ${secret}` };
    const answer = await route?.(new Request("http://localhost/reports?format=json", { headers }), {
      address,
    });
    await answer?.body?.cancel();
    return answer?.status;
  };
  const guess = async (address?: string): Promise<number | undefined> => {
    for (let count = 0; count < 10; count++) await ask("wrong", address);
    return await ask("wrong", address);
  };

  assertEquals([await guess("203.0.113.9"), await guess()], [429, 429]);
  assertEquals([await ask(SECRET, "203.0.113.9"), await ask(SECRET, "203.0.113.10")], [429, 200]);
  assertEquals(await ask(SECRET), 200);
});
