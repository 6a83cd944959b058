import type { RunningIngest } from "../../../tests/cluster/ingest_process.ts";
import type { Load } from "../../../tests/cluster/load.ts";
import { REPORT_SECRET, type Road } from "./road.ts";
import type { Store } from "./store.ts";

/** What became of the events of a load. */
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
  /** Events that were stored and never acknowledged: their answers were lost. */
  readonly unanswered: number;
}

/** Asks ClickHouse and the reports what became of the events. */
export async function readOutcome(
  { sent, acknowledged }: Pick<Load, "sent" | "acknowledged">,
  { store, ingests }: { readonly store: Pick<Store, "select">; readonly ingests: Road["ingests"] },
): Promise<Outcome> {
  const stored = new Set((await store.select("SELECT DISTINCT id FROM events")).map(({ id }) => String(id)));
  const [row] = await store.select("SELECT count() AS counted FROM events FINAL");
  return {
    sent: sent.size,
    acknowledged: acknowledged.size,
    stored: stored.size,
    reported: await Promise.all(ingests.map(readReported)),
    lost: acknowledged.difference(stored).size,
    countedTwice: Number(row?.counted) - stored.size,
    unanswered: stored.difference(acknowledged).size,
  };
}

/** Counts the events that ClickHouse has, each once. */
export async function countStored({ store }: Road): Promise<number> {
  const [row] = await store.select("SELECT uniqExact(id) AS stored FROM events");
  return Number(row?.stored);
}

async function readReported({ origin }: RunningIngest): Promise<number> {
  const headers = { Authorization: `Bearer ${REPORT_SECRET}` };
  const answer = await fetch(`${origin}/reports?format=json`, { headers });
  const report: { readonly totals?: { readonly events: number } } = await answer.json();
  return report.totals?.events ?? NaN;
}

/** Returns whether nothing acknowledged is lost, nothing counted twice, and all that is stored is reported. */
export function isExact({ stored, reported, lost, countedTwice }: Outcome): boolean {
  return lost === 0 && countedTwice === 0 && stored > 0 && reported.every((count) => count === stored);
}

/** Formats the outcome as a table of plain text. */
export function formatOutcome(outcome: Outcome): string {
  const { sent, acknowledged, stored, reported, lost, countedTwice, unanswered } = outcome;
  const ofSent = sent === acknowledged
    ? "each until it was acknowledged"
    : `${format(sent - acknowledged)} of them never acknowledged`;
  const ofUnanswered = unanswered === 0 ? "" : `, ${format(unanswered)} of them never acknowledged`;
  const rows: readonly (readonly [string, string, string])[] = [
    ["", "events", ""],
    ["sent", format(sent), ofSent],
    ["acknowledged", format(acknowledged), "answered 202 by an ingest"],
    ["stored", format(stored), `different events in ClickHouse${ofUnanswered}`],
    ["reported", [...new Set(reported)].map(format).join(", "), "by /reports of both ingests"],
    ["lost", format(lost), "acknowledged, but not in ClickHouse"],
    ["counted twice", format(countedTwice), "by a query with FINAL, as the reports count"],
  ];
  const [widest, wide] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map(([name, count, meaning]) =>
    `${name.padEnd(widest ?? 0)}  ${count.padStart(wide ?? 0)}  ${meaning}`
  );
  return lines.map((line) => line.trimEnd()).join("\n");
}

/** Writes a number as people read it. */
export function format(count: number): string {
  return Number.isNaN(count) ? "no answer" : count.toLocaleString("en");
}
