import type { Load } from "../../../tests/cluster/traffic.ts";
import { type Processes, REPORT_SECRET } from "./processes.ts";

/** Fate of the events of a load. */
export interface Outcome {
  /** Events that were sent. */
  readonly sent: number;
  /** Events whose batch was answered 202. */
  readonly acknowledged: number;
  /** Different events in ClickHouse. */
  readonly stored: number;
  /** Events in the reports of each ingest; NaN where they didn't answer. */
  readonly reported: readonly number[];
  /** Events that were acknowledged and aren't stored. */
  readonly lost: number;
  /** Events that a count in ClickHouse finds more than once. */
  readonly countedTwice: number;
}

/** Asks ClickHouse and the reports what became of the events. */
export async function readOutcome(
  { sent, acknowledged }: Pick<Load, "sent" | "acknowledged">,
  { select, table, origins }: Omit<Processes, "faults">,
): Promise<Outcome> {
  const stored = new Set((await select(`SELECT DISTINCT id FROM ${table}`)).map(({ id }) => String(id)));
  const [row] = await select(`SELECT count() AS counted FROM ${table} FINAL`);
  return {
    sent: sent.size,
    acknowledged: acknowledged.size,
    stored: stored.size,
    reported: await Promise.all(origins.map(readReported)),
    lost: acknowledged.difference(stored).size,
    countedTwice: Number(row?.counted) - stored.size,
  };
}

/** Fields that are read of a view. */
interface Reported {
  readonly current?: { readonly pageviews: { readonly full: number; readonly aggregate: number } };
  readonly rows?: readonly { readonly count: number }[];
}

async function readReported(origin: string): Promise<number> {
  const headers = { Authorization: `Bearer ${REPORT_SECRET}` };
  const ask = async (view: string): Promise<Reported> =>
    await (await fetch(`${origin}/reports?view=${view}&format=json`, { headers })).json();
  const { full = NaN, aggregate = NaN } = (await ask("overview")).current?.pageviews ?? {};
  const { rows = [] } = await ask("steps");
  return rows.reduce((sum, { count }) => sum + count, full + aggregate);
}

/** Returns whether all that was sent is acknowledged, stored and reported, each event once. */
export function isExact({ sent, acknowledged, stored, reported, lost, countedTwice }: Outcome): boolean {
  return sent > 0 && lost + countedTwice === 0 && [acknowledged, stored, ...reported].every((count) => count === sent);
}

/** Formats the outcome as a table of plain text. */
export function formatOutcome({ sent, acknowledged, stored, reported, lost, countedTwice }: Outcome): string {
  const rows: readonly (readonly [name: string, count: string, meaning: string])[] = [
    ["", "events", ""],
    ["sent", format(sent), "each until it was acknowledged"],
    ["acknowledged", format(acknowledged), "answered 202 by an ingest"],
    ["stored", format(stored), "different events in ClickHouse"],
    ["reported", [...new Set(reported)].map(format).join(", "), "by /reports of both ingests"],
    ["lost", format(lost), "acknowledged, but not in ClickHouse"],
    ["counted twice", format(countedTwice), "by a query with FINAL, as the reports count"],
  ];
  const width = Math.max(...rows.map(([, count]) => count.length));
  return rows.map(([name, count, meaning]) => `${name.padEnd(13)}  ${count.padStart(width)}  ${meaning}`.trimEnd())
    .join("\n");
}

/** Writes a number as people read it. */
export function format(count: number): string {
  return Number.isNaN(count) ? "no answer" : count.toLocaleString("en");
}
