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
  /**
   * Why an answer may come when nobody is there to see it, if it may: whatever it acknowledges is sent again then. A row
   * of several pages that are open at once needs no reason.
   */
  readonly repeats?: string;
  /** Makes it happen; what it throws fails the row, and so does what is lost or stored twice. */
  readonly run: (stage: Stage) => Promise<void>;
}

/** The most frequent reason for {@linkcode Scenario.repeats}. */
export const UNHEARD = "a page that has gone hears no answer to its last requests";

/**
 * How long the last events may take to arrive, in milliseconds: the 30 s of a lease that a page which crashed couldn't
 * end, or a backoff, which lasts about as long as the outage before it.
 */
const SETTLE_MS = 60_000;

/** How long the last answers may take to reach their page once everything has arrived, in milliseconds. */
const ANSWER_MS = 1000;

/**
 * How long a second copy is waited for, in milliseconds: the 2 s of a lease that a page ended as it went, which CI's
 * clock has passed, and the second by which whoever looks may be late.
 */
const LONG_QUIET_MS = 4000;
const SHORT_QUIET_MS = 2000;

/** Runs a scenario to the end, writes its row, and fails if anything in it is not as it must be. */
export async function runScenario(engine: Engine, { id, title, repeats, run }: Scenario, form: Form): Promise<void> {
  const notes: string[] = [];
  const stage = await setStage(engine, form, notes);
  const row = { id, title, engine: engine.name, notes };
  try {
    const faults: string[] = [];
    try {
      await run(stage);
      if (await stage.untilStored(SETTLE_MS)) {
        await pause(ANSWER_MS);
        await stage.closeAll();
        await stage.openLater(); // finds nothing that a page saw arrive
      }
    } catch (error) {
      if (error instanceof NotApplicable) {
        notes.push(`n/a: ${error.message}`);
        return writeRow({ ...row, faults }, form);
      }
      faults.push(error instanceof Error ? error.message : String(error));
      await stage.untilStored(SETTLE_MS);
    }
    await pause(form.isShort ? SHORT_QUIET_MS : LONG_QUIET_MS);
    const counts = count(stage.ledger());
    const pages = stage.mostPages();
    const hadSeveralPages = pages > 1;
    if (hadSeveralPages) notes.push(`repeats expected: ${pages} pages were open at once, and may send the same batch`);
    else if (repeats) notes.push(`repeats expected: ${repeats}`);
    faults.push(...findFaults(counts, { hadSeveralPages, mayMissAnswers: repeats !== undefined }));
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
