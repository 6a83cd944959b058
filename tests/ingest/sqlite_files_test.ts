/**
 * What becomes of acknowledged events when the files of a database are damaged while it is in use.
 *
 * @module
 */
import { assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createSqliteReader, createSqliteSink, type SqliteSink } from "../../src/ingest/mod.ts";
import { KEY } from "./fixtures.ts";
import { buildScope } from "./reports/fixtures.ts";
import { batchOf, STORED } from "./sink_contract.ts";

const LIMIT_MS = 10_000;

interface Damage {
  readonly name: string;
  /** Damages the files of the database. A copy of the file, of before the first event, is beside it. */
  readonly harm: (path: string) => Promise<void>;
  /** Makes the file healthy again; absent where the sink does so by itself. */
  readonly heal?: (path: string) => Promise<void>;
  /** What the reason says, after the path of the directory. */
  readonly says: string;
  /** Whether what was acknowledged before must be there at the end. */
  readonly keepsEarlier: boolean;
}

const GARBAGE = "garbage ".repeat(4_000);

const DAMAGES: readonly Damage[] = [
  {
    name: "log removed",
    harm: (path) => Deno.remove(`${path}-wal`),
    says: 'events.db-wal" was removed or replaced',
    keepsEarlier: true,
  },
  {
    name: "file moved, and back",
    harm: (path) => Deno.rename(path, `${path}.away`),
    heal: (path) => Deno.rename(`${path}.away`, path),
    says: 'events.db" was removed or replaced',
    keepsEarlier: true,
  },
  {
    name: "file removed, and put back from a copy",
    harm: (path) => Deno.remove(path),
    heal: (path) => Deno.copyFile(`${path}.copy`, path),
    says: 'events.db" was removed or replaced',
    keepsEarlier: false,
  },
  {
    name: "file replaced by a copy",
    harm: (path) => Deno.rename(`${path}.copy`, path),
    says: 'events.db" was removed or replaced',
    keepsEarlier: false,
  },
  {
    name: "file overwritten with a copy",
    harm: (path) => Deno.copyFile(`${path}.copy`, path),
    says: 'events.db" was overwritten',
    keepsEarlier: false,
  },
  {
    name: "file overwritten with garbage, and with a copy",
    harm: (path) => Deno.writeTextFile(path, GARBAGE),
    heal: (path) => Deno.copyFile(`${path}.copy`, path),
    says: 'events.db" was overwritten',
    keepsEarlier: false,
  },
  {
    name: "log overwritten",
    harm: (path) => Deno.writeTextFile(`${path}-wal`, GARBAGE),
    says: 'events.db-wal" was overwritten',
    keepsEarlier: false,
  },
  {
    name: "log cut off",
    harm: (path) => Deno.truncate(`${path}-wal`, 100),
    says: 'events.db-wal" was overwritten',
    keepsEarlier: false,
  },
];

// At the same time: a database stays shut for a while.
Deno.test("createSqliteSink() acknowledges nothing that is lost with its files, and goes on once they are healthy", async () => {
  const faults = await Promise.all(DAMAGES.map(async (damage) => {
    const fault = await findFault(damage).catch(({ message }) => message);
    return fault && `${damage.name}: ${fault}`;
  }));

  assertEquals(faults.filter((fault) => fault), []);
});

/** Damages a database while a sink and a reader have it open; resolves to what is wrong afterwards. */
async function findFault({ harm, heal, says, keepsEarlier }: Damage): Promise<string | undefined> {
  const directory = await Deno.makeTempDir();
  const path = `${directory}/events.db`;
  const sink = await openWithHistory(path);
  const reader = await createSqliteReader({ path });
  try {
    await sink.store(batchOf([event("earlier")]));
    await reader.sites(KEY);

    await harm(path);
    const reason = await untilRejected(sink);
    await assertRejects(async () => await sink.check?.(), Error, reason);
    await heal?.(path);
    await untilStored(sink, "later");
    await sink.check?.();
    const { totals } = await reader.read(buildScope({ from: "2026-03-01", to: "2026-03-01" }), { rows: 1 });
    await sink.close();
    const { ids, integrity } = readFile(path);

    if (!reason.endsWith(says)) return reason;
    if (!ids.includes("later")) return "what came later is missing";
    if (keepsEarlier && !ids.includes("earlier")) return "what came earlier is missing";
    if (totals.events !== ids.length) return `${totals.events} of ${ids.length} events in the report`;
    return integrity === "ok" ? undefined : `${integrity}`;
  } finally {
    await Promise.all([sink.close(), reader.close()]);
    await Deno.remove(directory, { recursive: true });
  }
}

/** Opens a sink that has some events in its file, and some more in its log; with a copy of the file of that time. */
async function openWithHistory(path: string): Promise<SqliteSink> {
  const first = await createSqliteSink({ path });
  await first.store(batchOf([event("first")]));
  await first.close();
  await Deno.copyFile(path, `${path}.copy`);
  const second = await createSqliteSink({ path });
  await second.store(batchOf(Array.from({ length: 100 }, (_, index) => event(`second-${index}`))));
  await second.close();
  return await createSqliteSink({ path });
}

function event(id: string): typeof STORED {
  return { ...STORED, id };
}

/** Stores events until that fails; resolves to why. */
async function untilRejected(sink: SqliteSink): Promise<string> {
  const endMs = performance.now() + LIMIT_MS;
  for (let count = 0; performance.now() < endMs; count++) {
    const reason = await sink.store(batchOf([event(`lost-${count}`)])).then(() => undefined, ({ message }) => message);
    if (reason !== undefined) return reason;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("what is lost is acknowledged");
}

async function untilStored(sink: SqliteSink, id: string): Promise<void> {
  const endMs = performance.now() + LIMIT_MS;
  while (performance.now() < endMs) {
    const isStored = await sink.store(batchOf([event(id)])).then(() => true, () => false);
    if (isStored) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("nothing is stored any more");
}

function readFile(path: string): { readonly ids: readonly string[]; readonly integrity: unknown } {
  const database = new DatabaseSync(path);
  try {
    const ids = database.prepare("SELECT id FROM events").all().map(({ id }) => String(id));
    return { ids, integrity: database.prepare("PRAGMA integrity_check").get()?.integrity_check };
  } finally {
    database.close();
  }
}
