import { openDatabase } from "./database.ts";
import type { FeedRow } from "./feed_row.ts";
import { formatRow, ROW_HEADER } from "./format_row.ts";
import { formatTable } from "./format_table.ts";
import { startIngest } from "./ingest_server.ts";
import { COLUMNS, compareLines, EXPECTED, toLines } from "./once_events.ts";
import type { DemoOptions } from "./options.ts";
import { SHOP_ORIGIN, visit } from "./visit.ts";

/** What {@linkcode runOnce} runs and writes to, for tests. */
export interface OnceOptions {
  /** Sends events to the ingest at the address; returns the SDK's keys that it left on the device. */
  readonly makeVisit?: (endpoint: string) => Promise<readonly string[]>;
  /** Shows a line. */
  readonly print?: (line: string) => void;
}

/**
 * Runs a visit against the ingest and prints what the database holds afterwards; returns 0 when that is exactly
 * what was expected, else 1.
 *
 * @throws {DemoFault} When the port or the database can't be used.
 */
export async function runOnce({ ingestPort, dbPath }: DemoOptions, options: OnceOptions = {}): Promise<number> {
  const { makeVisit = visit, print = console.log } = options;
  const database = await openDatabase(dbPath);
  try {
    const rows: FeedRow[] = [];
    // A database given with --db may hold earlier runs.
    const known = (await database.sink.events()).length;
    const ingest = await startIngest({
      port: ingestPort,
      sink: database.sink,
      origins: [SHOP_ORIGIN],
      onRow: (row) => {
        rows.push(row);
        print(formatRow(row));
      },
    });
    print(`A scripted visit to ${SHOP_ORIGIN}, sending to ${ingest.endpoint}\n\n${ROW_HEADER}`);
    const keysLeft = await makeVisit(ingest.endpoint).finally(ingest.stop);

    const stored = toLines((await database.sink.events()).slice(known));
    print(
      `\nStored in ${database.path}${database.isTemporary ? " (temporary, removed at the end)" : ""}:\n\n${
        formatTable(COLUMNS, stored)
      }\n`,
    );
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
    await database.close();
  }
}
