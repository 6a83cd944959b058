import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { type ExportedEvent, STORED_COLUMNS } from "../../../../src/ingest/events/columns.ts";
import { hashKey } from "../../../../src/ingest/platform/digest.ts";
import { KEPT } from "../../../../src/ingest/reports/sql/kept.ts";
import { type DuckDbConnection, openDuckDb } from "../../../../src/ingest/stores/file/duckdb.ts";
import { createKeptRows, type KeptRows, nameKept } from "../../../../src/ingest/stores/file/kept_rows.ts";
import { appendEvents, createTailTable, SEQ, TAIL } from "../../../../src/ingest/stores/file/tail_table.ts";
import { createEventModel, type EventModel } from "../../reports/event_model.ts";
import { aHistory, type HistoryStep, KEEP_DAYS } from "../../reports/visit_arbitrary.ts";

const HISTORIES = 100;

const COLUMNS = STORED_COLUMNS.map(({ name }) => name).join(", ");

/** A history of two keys, and a model of what is stored after each of its steps. */
interface Past {
  readonly steps: readonly HistoryStep[];
  readonly keys: readonly string[];
  readonly model: EventModel;
}

async function listStored({ keys, model }: Past): Promise<readonly ExportedEvent[]> {
  const all = await Promise.all(keys.map(async (key) => ({ key, keyHash: await hashKey(key) })));
  return all.flatMap(({ key, keyHash }) => model.eventsOf(key).map((event) => ({ ...event, keyHash, seq: 0 })));
}

async function happen({ keys, model: { sink, data } }: Past, step: HistoryStep): Promise<void> {
  if (step.kind === "prune") return void await data.prune({ keepDays: KEEP_DAYS });
  const apiKey = keys[step.key] ?? "";
  if (step.kind === "store") return void await sink.store({ apiKey, events: step.events });
  await data.erase("userId" in step ? { ...step, apiKey } : { apiKey, anonymousId: step.anonymousId });
}

function toName({ keyHash, id }: ExportedEvent): string {
  return `('${keyHash}', '${id}')`;
}

/** Returns how many rows are kept, and how many of them, or missing, aren't those that grouping makes of the events. */
async function countDifferences({ select }: DuckDbConnection): Promise<readonly [rows: number, different: number]> {
  let [rows, different] = [0, 0];
  for (const kept of KEPT) {
    const [found, wanted] = [`SELECT * FROM ${nameKept(kept)}`, `SELECT * FROM (${kept.count(TAIL)}) AS c`];
    const [row] = await select(
      `SELECT (SELECT count(*) FROM ${nameKept(kept)}) AS kept_rows,
        (SELECT count(*) FROM (${found} EXCEPT ALL ${wanted})) + (SELECT count(*) FROM (${wanted} EXCEPT ALL ${found})) AS d`,
    );
    rows += Number(row?.kept_rows);
    different += Number(row?.d);
  }
  return [rows, different];
}

Deno.test("kept rows are what grouping makes of the events, after each step of a hundred histories", async () => {
  const folder = await Deno.makeTempDir();
  const duckDb = await openDuckDb({ temporaryFolder: folder });
  const connection = await duckDb.connect();
  const histories = fc.sample(fc.noBias(aHistory), { numRuns: HISTORIES, seed: 47 });
  const pasts = histories.map((steps, index): Past => ({
    ...{ steps, keys: [`pk_${index}_0`, `pk_${index}_1`], model: createEventModel() },
  }));
  let rows: KeptRows | undefined;
  await duckDb.change(async (change) => {
    await createTailTable(change);
    rows = await createKeptRows(change, TAIL);
  });
  let [added, mostRows, removed] = [0, 0, 0];

  // A step of each history at a time: their sessions and visitors have the same ids, and other keys.
  for (let place = 0; place < Math.max(...pasts.map(({ steps }) => steps.length)); place++) {
    const before = (await Promise.all(pasts.map(listStored))).flat();
    for (const past of pasts) {
      const step = past.steps[place];
      if (step !== undefined) await happen(past, step);
    }
    const after = (await Promise.all(pasts.map(listStored))).flat();
    const [known, left] = [new Set(before.map(toName)), new Set(after.map(toName))];
    const fresh = after.filter((event) => !known.has(toName(event)));
    const gone = before.map(toName).filter((name) => !left.has(name));
    await duckDb.change(async (change) => {
      if (fresh.length > 0) {
        await appendEvents(change, fresh.map((event, index) => ({ ...event, seq: added + index })));
        await rows?.add(`(SELECT ${COLUMNS} FROM ${TAIL} WHERE ${SEQ} >= ${added})`);
        added += fresh.length;
      }
      if (gone.length === 0) return;
      const where = `(key_hash, id) IN (${gone.join(", ")})`;
      const recount = await rows?.prepareRecount(`(SELECT * FROM ${TAIL} WHERE ${where})`);
      await change.run(`DELETE FROM ${TAIL} WHERE ${where}`);
      await recount?.(TAIL);
    });
    removed += gone.length;

    const [count, different] = await countDifferences(connection);
    mostRows = Math.max(mostRows, count);
    assertEquals(different, 0, `step ${place}`);
  }

  await duckDb.close();
  await Deno.remove(folder, { recursive: true });
  // Or the histories proved nothing.
  assertEquals([added > 1_000, removed > 100, mostRows > 500], [true, true, true], `${added} ${removed} ${mostRows}`);
});
