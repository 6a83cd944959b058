import { assertEquals } from "@std/assert";
import { createSqliteData, createSqliteReader, createSqliteSink, withDirectory } from "./in_thread.ts";
import { storeEvents } from "../../reports/report_store.ts";
import { ask, askFor, at } from "../../reports/visit_fixtures.ts";
import { testReportStore } from "../report_store_contract.ts";

testReportStore("createSqliteReader()", (use) =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.sqlite`;
    const sink = await createSqliteSink({ path });
    const store = await createSqliteReader({ path });
    const data = createSqliteData({ path });
    try {
      await use({ sink, store, data });
    } finally {
      await Promise.all([store.close(), data.close()]);
      await sink.close();
    }
  }));

Deno.test("the views count the events of a session that began days before, as a sender may send them", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.sqlite`;
    const sink = await createSqliteSink({ path });
    const store = await createSqliteReader({ path });
    try {
      await storeEvents(sink, [
        at("2026-02-20T10:00:00Z", { session: "s-1", visitor: "ada", name: "ordered" }),
        at("10:00", { session: "s-1", visitor: "ada", name: "delivered" }),
      ]);
      const { total } = await store.overview(ask(), []);
      const filtered = await store.overview(askFor({ name: "channel", values: ["Direct or unknown"] }), []);

      assertEquals([total.visitors, filtered.total.visitors], [1, 1]);
    } finally {
      await store.close();
      await sink.close();
    }
  }));
