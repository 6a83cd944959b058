import type { FeedRow } from "../../src/ingest/server/demo/feed_row.ts";
import { formatRow, ROW_HEADER } from "../../src/ingest/server/demo/format_row.ts";
import { startIngest } from "./ingest_server.ts";
import { COLUMNS, compareLines, EXPECTED, toLines } from "./once_events.ts";
import type { DemoOptions } from "./options.ts";
import { openStore } from "./store.ts";
import { SHOP_ORIGIN, visit } from "./visit.ts";

/** Parts of {@linkcode runOnce}, for tests. */
export interface OnceOptions {
  /** Sends events to the ingest at the address; returns the SDK's keys that it left on the device. */
  readonly makeVisit?: (endpoint: string) => Promise<readonly string[]>;
  /** Shows a line. */
  readonly print?: (line: string) => void;
}

/**
 * Runs a visit against the ingest and prints what the store holds afterwards; returns 0 when that is exactly
 * what was expected, else 1.
 *
 * @throws {DemoFault} When the port or the folder can't be used.
 */
export async function runOnce({ ingestPort, folder }: DemoOptions, options: OnceOptions = {}): Promise<number> {
  const { makeVisit = visit, print = console.log } = options;
  const store = await openStore(folder);
  try {
    const rows: FeedRow[] = [];
    // A folder given with --folder may hold earlier runs.
    const known = (await store.sink.events()).length;
    const ingest = startIngest({
      port: ingestPort,
      store,
      origins: [SHOP_ORIGIN],
      onRow: (row) => {
        rows.push(row);
        print(formatRow(row));
      },
    });
    print(`A scripted visit to ${SHOP_ORIGIN}, sending to ${ingest.endpoint}\n\n${ROW_HEADER}`);
    const keysLeft = await makeVisit(ingest.endpoint).finally(ingest.stop);

    const stored = toLines((await store.sink.events()).slice(known));
    print(`\nStored in ${store.label}:\n\n${formatTable(COLUMNS, stored)}\n`);
    const faults = [
      ...compareLines(EXPECTED, stored),
      ...rows.filter((row) => row.kind !== "accepted").map((row) => `not expected: ${formatRow(row)}`),
      ...keysLeft.map((key) => `still on the device after consent was denied: ${key}`),
    ];
    if (faults.length === 0) {
      print(`All ${EXPECTED.length} expected events are there, and nothing else.`);
      return 0;
    }
    print(`Expected:\n\n${formatTable(COLUMNS, EXPECTED)}\n\nWhat is there differs:`);
    for (const fault of faults) print(`- ${fault}`);
    return 1;
  } finally {
    await store.close();
  }
}

/** Formats rows as a table of plain text: the columns' names, a rule, and a line for each row. */
function formatTable<K extends string>(columns: readonly K[], rows: readonly Readonly<Record<K, string>>[]): string {
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => row[column].length)));
  const toLine = (cells: readonly string[]): string =>
    cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ").trimEnd();
  return [
    toLine(columns),
    toLine(widths.map((width) => "─".repeat(width))),
    ...rows.map((row) => toLine(columns.map((column) => row[column]))),
  ].join("\n");
}
