import type { DatabaseSync } from "node:sqlite";
import {
  type FlaggedCounts,
  type ReportReader,
  type Traffic,
  TRAFFIC_FLAGS,
  type ViewCounts,
} from "../../../ports/reader.ts";
import { readViews, VIEWS } from "./select.ts";

/** Which flagged pageviews are asked for. */
export type FlaggedQuery = Parameters<ReportReader["countFlagged"]>[0];

/** Counts the flagged pageviews of a range. */
export function countFlagged(database: DatabaseSync, { apiKey, site, from, to }: FlaggedQuery): FlaggedCounts {
  const rows = database.prepare(`
    SELECT s.flag AS flag, ${VIEWS} FROM fact_scopes AS s JOIN facts AS f ON f.scope = s.id
    WHERE s.api_key = ? AND s.site = ? AND s.flag <> '' AND f.time >= ? AND f.time < ? GROUP BY s.flag
  `).all(apiKey, site, from, to);
  const count = (traffic: Traffic): ViewCounts =>
    readViews(rows.find(({ flag }) => flag === TRAFFIC_FLAGS[traffic]) ?? {});
  return { bots: count("bots"), own: count("own") };
}
