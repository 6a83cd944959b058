import { createSqliteData, createSqliteReader, createSqliteSink, withDirectory } from "./in_thread.ts";
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
