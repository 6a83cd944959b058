import type {
  NumberCounts,
  OverviewCounts,
  PageCounts,
  ReportStore,
  SourceCounts,
  ValueCounts,
  ViewCounts,
  VisitCounts,
} from "../../ports/report_store.ts";
import type { Row } from "./clickhouse_port.ts";
import { buildVisitTables, type VisitTables } from "./clickhouse_visit_tables.ts";
import type { Select } from "./clickhouse_visit_words.ts";

/** Most names of properties that are listed. */
const MAX_KEYS = 50;

/**
 * FINAL leaves out what came twice and isn't merged yet. What came twice is in one partition: each is looked at by itself.
 * An index on another column must not hide the first of two; ClickHouse looks for it where the setting says so.
 */
const EXACTLY = `
  SETTINGS do_not_merge_across_partitions_select_final = 1, use_skip_indexes_if_final = 1,
    use_skip_indexes_if_final_exact_mode = 1, max_execution_time = 20
`;

const VIEWS = "countIf(is_view AND is_full) AS full, countIf(is_view AND NOT is_full) AS aggregate";

const VISITORS = "uniqExactIf(visitor_hash, visitor_hash <> 0)";

/** Creates the functions that count visits in a ClickHouse whose tables are there. */
export function createVisitStore(select: Select): ReportStore {
  const run = ({ definitions, parameters }: VisitTables, query: string): Promise<readonly Row[]> =>
    select(`${definitions} ${query} ${EXACTLY}`, parameters);

  return {
    async overview(query, bounds) {
      const tables = await buildVisitTables(select, query);
      const [events, sessions] = await Promise.all([
        run(tables, buildEventCounts(bounds)),
        run(tables, buildSessionCounts(bounds)),
      ]);
      const isTotal = ({ is_total: total }: Row): boolean => Number(total) === 1;
      const [ofEvents = {}, ofSessions = {}] = [events.find(isTotal), sessions.find(isTotal)];
      const findPart = (rows: readonly Row[], start: number): Row | undefined =>
        rows.find((row) => !isTotal(row) && Number(row.part) === start);
      return {
        total: readOverview({ ...ofEvents, ...ofSessions }),
        parts: bounds.slice(0, -1).map((start) =>
          readVisits({ ...findPart(events, start), ...findPart(sessions, start) })
        ),
      };
    },
    async pages(query, rows) {
      const tables = await buildVisitTables(select, query);
      const found = await run(tables, `${PAGES} LIMIT {rows:UInt32}`.replace("{rows:UInt32}", String(rows)));
      return { rows: found.map(readPage), count: readCount(found) };
    },
  };
}
