/**
 * The views on a ClickHouse. `CLICKHOUSE_HISTORIES` says how many random histories each of its forms counts, 1 by default:
 * one takes a minute.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import type { EventSink } from "../../src/ingest/mod.ts";
import { createClickHouseData } from "../../src/ingest/stores/clickhouse/clickhouse_data.ts";
import { createClickHouseReader } from "../../src/ingest/stores/clickhouse/clickhouse_reader.ts";
import { createClickHouseTarget } from "../../src/ingest/stores/clickhouse/clickhouse_target.ts";
import { hashKey } from "../../src/ingest/platform/digest.ts";
import { testReportStore, type WithReportStore } from "../ingest/stores/report_store_contract.ts";
import { storeEvents } from "../ingest/reports/report_store.ts";
import { ask, at } from "../ingest/reports/visit_fixtures.ts";
import { type ClickHouseProcess, startClickHouse } from "./clickhouse.ts";

const HISTORIES = Number(Deno.env.get("CLICKHOUSE_HISTORIES") ?? 1);

let server: ClickHouseProcess | undefined;

Deno.test.beforeAll(async () => {
  server = await startClickHouse();
});

Deno.test.afterAll(async () => {
  await server?.stop();
});

/** Opens a ClickHouse. Where it doesn't merge, each batch is a block of its own for ever; it can't delete then. */
function openStore({ merges }: { readonly merges: boolean }): WithReportStore {
  return async (use) => {
    const options = { url: server?.url ?? "", database: await server?.createDatabase() ?? "" };
    const target = await createClickHouseTarget(options);
    if (!merges) await server?.run(options.database, "SYSTEM STOP MERGES events");
    const [store, data] = [await createClickHouseReader(options), await createClickHouseData(options)];
    const sink: EventSink = {
      async store({ apiKey, events }) {
        const keyHash = await hashKey(apiKey);
        await target.store(events.map((event) => ({ keyHash, event })));
        return { accepted: events.length, duplicates: 0 };
      },
      close: () => target.close(),
    };
    try {
      await use({ sink, store, ...(merges && { data }) });
    } finally {
      await store.close();
      await data.close();
      await target.close();
    }
  };
}

// A question takes seconds there.
testReportStore("createClickHouseReader()", openStore({ merges: true }), {
  numRuns: HISTORIES,
  maxQuestions: 1,
  endOnFailure: true,
  knowsBackends: true,
});

testReportStore("createClickHouseReader(), before merges,", openStore({ merges: false }), {
  numRuns: HISTORIES,
  maxQuestions: 1,
  endOnFailure: true,
  knowsBackends: true,
});

Deno.test("createClickHouseReader() writes as many paths as a site has", () =>
  openStore({ merges: false })(async ({ sink, store }) => {
    const paths = Array.from({ length: 12_000 }, (_, index) => `/Teas/${index}-${"x".repeat(20)}`);
    await storeEvents(sink, paths.map((page) => at("10:00", { page })));
    const pathRules = { patterns: [], dropsTrailingSlash: false, ignoresCase: true };

    const { rows, count } = await store.pages(ask({ pathRules }), 1);

    assertEquals([rows[0]?.path, count], [`/teas/0-${"x".repeat(20)}`, 12_000]);
  }));
