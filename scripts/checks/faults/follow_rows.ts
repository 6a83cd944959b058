import type { Row } from "../../../tests/faults/row.ts";

/** The rows of a run, shown as they come. */
export interface RowFollower {
  /** Stops following, and returns all rows. */
  end(): readonly Row[];
}

/** Milliseconds between two looks for new rows. */
const INTERVAL_MS = 1000;

/** Follows the file that the tests add their rows to, and prints a line for each. */
export function followRows(path: string): RowFollower {
  const rows: Row[] = [];
  const read = (): void => {
    const lines = readLines(path);
    for (const line of lines.slice(rows.length)) {
      const row: Row = JSON.parse(line);
      rows.push(row);
      console.log(summarize(row));
    }
  };
  const timer = setInterval(read, INTERVAL_MS);
  let isOver = false;
  return {
    end() {
      if (!isOver) {
        isOver = true;
        clearInterval(timer);
        read();
      }
      return rows;
    },
  };
}

/** The last line may be half written. */
function readLines(path: string): string[] {
  try {
    return Deno.readTextFileSync(path).split("\n").slice(0, -1);
  } catch {
    return []; // no row has come yet
  }
}

function summarize({ id, title, engine, counts, faults, notes }: Row): string {
  const verdict = faults.length > 0 ? `FAILED: ${faults.join("; ")}` : counts ? "ok" : notes.join("; ");
  return `${engine.padEnd(8)} ${id} ${title}: ${verdict}`;
}
