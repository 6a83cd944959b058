import { assertEquals } from "@std/assert";
import { type Engine, NotApplicable } from "./engines/engine.ts";
import type { Form } from "./form.ts";
import { count, findFaults } from "./ledger.ts";
import { pause } from "./pauses.ts";
import type { Row } from "./row.ts";
import { setStage, type Stage } from "./stage.ts";

/** One thing that goes wrong around the SDK. */
export interface Scenario {
  /** Number, and a letter for its variant. */
  readonly id: string;
  /** What happens. */
  readonly title: string;
  /** Makes it happen; what it throws fails the row, and so does what is lost or stored twice. */
  readonly run: (stage: Stage) => Promise<void>;
}

/**
 * How long the last events may take to arrive, in milliseconds: a backoff of its longest, or a lease that a page whose
 * handler was killed couldn't end, and the look for such leases every 30 s.
 */
const SETTLE_MS = 75_000;

/** How long a second copy is waited for once everything has arrived, in milliseconds. */
const QUIET_MS = 2000;

/** Runs a scenario to the end, writes its row, and fails if anything in it is not as it must be. */
export async function runScenario(engine: Engine, { id, title, run }: Scenario, form: Form): Promise<void> {
  const notes: string[] = [];
  const stage = await setStage(engine, form, notes);
  const row = { id, title, engine: engine.name, notes };
  try {
    const faults: string[] = [];
    try {
      await run(stage);
      if (await stage.untilStored(SETTLE_MS)) await stage.openLater(); // finds nothing that a page saw arrive
    } catch (error) {
      if (error instanceof NotApplicable) {
        notes.push(`n/a: ${error.message}`);
        return writeRow({ ...row, faults }, form);
      }
      faults.push(error instanceof Error ? error.message : String(error));
      await stage.untilStored(SETTLE_MS);
    }
    await pause(QUIET_MS);
    const counts = count(stage.ledger());
    faults.push(...findFaults(counts));
    writeRow({ ...row, counts, faults }, form);
    assertEquals(faults, []);
  } finally {
    await stage.close();
  }
}

function writeRow(row: Row, { rowsPath }: Form): void {
  const line = JSON.stringify(row);
  if (rowsPath) Deno.writeTextFileSync(rowsPath, `${line}\n`, { append: true });
  else console.log(line);
}
