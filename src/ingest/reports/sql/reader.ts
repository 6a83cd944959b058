/**
 * The port of the reports on one text of SQL: a store that has an {@linkcode Engine} has its reader.
 *
 * @module
 */
import { SENT_COLUMNS } from "../../events/columns.ts";
import { rebuildEvent } from "../../events/rebuild_event.ts";
import { MAX_SITES, type ReportReader } from "../../ports/reader.ts";
import { writeKey, writeSite } from "./conditions.ts";
import { readConversions } from "./conversions.ts";
import type { Engine } from "./engine.ts";
import { readFunnel } from "./funnel.ts";
import { readEvents } from "./goals.ts";
import { readFlagged, readOverview } from "./overview.ts";
import { readPages } from "./pages.ts";
import { readAcceptance, readRetention } from "./retention.ts";
import { readNumber } from "./rows.ts";
import { readSources } from "./sources.ts";
import { readSteps, readStepValues, readViolations } from "./steps.ts";

/** Longer than any month, in milliseconds. */
const MONTH_MS = 32 * 24 * 60 * 60 * 1000;

/** Creates the reader of what an engine has stored. */
export function createReader(engine: Engine): ReportReader {
  const { dialect, events, select } = engine;
  return {
    overview: (...asked) => readOverview(engine, ...asked),
    countFlagged: (query) => readFlagged(engine, query),
    pages: (...asked) => readPages(engine, ...asked),
    sources: (query, { by, of = "session" }, ...asked) =>
      readSources(engine, query, { list: "sources", by, of }, ...asked),
    audience: (query, by, ...asked) => readSources(engine, query, { list: "audience", by }, ...asked),
    steps: (...asked) => readSteps(engine, ...asked),
    violations: (...asked) => readViolations(engine, ...asked),
    stepValues: (...asked) => readStepValues(engine, ...asked),
    conversions: (...asked) => readConversions(engine, ...asked),
    countEvents: (...asked) => readEvents(engine, ...asked),
    funnel: (...asked) => readFunnel(engine, ...asked),
    retention: (...asked) => readRetention(engine, ...asked),
    acceptance: (...asked) => readAcceptance(engine, ...asked),
    async sites(apiKey) {
      const rows = await select(
        `SELECT site FROM ${events} WHERE ${await writeKey(dialect, apiKey)} AND site <> ''
        GROUP BY site ORDER BY count() DESC, site LIMIT ${MAX_SITES}`,
      );
      return rows.map(({ site }) => String(site));
    },
    async lastTime(of) {
      // In place of a maximum, which reads every row.
      const [row] = await select(
        `SELECT time FROM ${events} WHERE ${await writeSite(dialect, of)} ORDER BY time DESC LIMIT 1`,
      );
      return row === undefined ? undefined : Number(row.time);
    },
    async countPageviews(apiKey, month) {
      const start = Date.parse(`${month}-01`);
      const end = Date.parse(new Date(start + MONTH_MS).toISOString().slice(0, month.length));
      const [row] = await select(
        `SELECT count() AS views FROM ${events} WHERE ${await writeKey(dialect, apiKey)} AND is_view
          AND received_at >= fromUnixTimestamp64Milli(${start}) AND received_at < fromUnixTimestamp64Milli(${end})`,
      );
      return readNumber(row?.views);
    },
    async person({ apiKey, site, ...of }, rows, { skip = 0 } = {}) {
      const [column, id] = "userId" in of ? ["user_id", of.userId] as const : ["anonymous_id", of.anonymousId] as const;
      if (id === "") return [];
      const found = await select(
        `SELECT ${SENT_COLUMNS.map(({ name }) => name).join(", ")} FROM ${events}
        WHERE ${await writeSite(dialect, { apiKey, site })} AND is_full AND ${column} = ${dialect.quote(id)}
        ORDER BY time DESC, place DESC, id_order DESC LIMIT ${rows} OFFSET ${skip}`,
      );
      return found.map(rebuildEvent);
    },
    close: () => engine.close(),
  };
}
