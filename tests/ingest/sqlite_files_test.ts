/**
 * What becomes of acknowledged events when the files of a database are damaged while it is in use: what the threads of a
 * sink and of a reader do, within the thread of the test.
 *
 * @module
 */
import { assertEquals, assertRejects } from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import { DatabaseSync } from "node:sqlite";
import { createReaderCalls } from "../../src/ingest/reports/reader_calls.ts";
import { createSinkCalls } from "../../src/ingest/sinks/sqlite/sink_calls.ts";
import type { SinkCalls } from "../../src/ingest/sinks/sqlite/sqlite_sink.ts";
import { KEY } from "./fixtures.ts";
import { buildScope } from "./reports/fixtures.ts";
import { STORED } from "./sink_contract.ts";

const LIMIT_MS = 10_000;

/** Between two looks, in milliseconds. */
const LOOK_MS = 50;

interface Damage {
  readonly name: string;
  /** Damages the files of the database. A copy of the file, of before the first event, is beside it. */
  readonly harm: (path: string) => Promise<void>;
  /** Makes the file healthy again; absent where the sink does so by itself. */
  readonly heal?: (path: string) => Promise<void>;
  /** Whether somebody reads meanwhile, and keeps the log from being copied into the file. */
  readonly isRead?: boolean;
  /** Whether the path is a link to the file, beside which SQLite keeps the log. */
  readonly isLinked?: boolean;
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
    name: "log removed while somebody reads",
    harm: (path) => Deno.remove(`${path}-wal`),
    isRead: true,
    says: 'events.db-wal" was removed or replaced',
    keepsEarlier: true,
  },
  {
    name: "log removed of a file behind a link",
    harm: (path) => Deno.remove(path.replace("events.db", "data.db-wal")),
    isLinked: true,
    says: 'data.db-wal" was removed or replaced',
    keepsEarlier: true,
  },
  {
    name: "log cut off of a file behind a link",
    harm: (path) => Deno.truncate(path.replace("events.db", "data.db-wal"), 100),
    isLinked: true,
    says: 'data.db-wal" was overwritten',
    keepsEarlier: false,
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
    name: "index of the log removed",
    harm: (path) => Deno.remove(`${path}-shm`),
    says: 'events.db-shm" was removed or replaced',
    keepsEarlier: true,
  },
  {
    name: "index of the log removed while somebody reads",
    harm: (path) => Deno.remove(`${path}-shm`),
    isRead: true,
    says: 'events.db-shm" was removed or replaced',
    keepsEarlier: true,
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

Deno.test("createSinkCalls() acknowledges nothing that is lost with its files, and goes on once they are healthy", async () => {
  using time = new FakeTime();
  using _clock = stub(performance, "now", () => time.now);
  const faults: string[] = [];
  for (const damage of DAMAGES) {
    const fault = await findFault(damage, time).catch(({ message }) => message);
    if (fault !== undefined) faults.push(`${damage.name}: ${fault}`);
  }

  assertEquals(faults, []);
});

/** Damages a database while it is open; resolves to what is wrong afterwards. */
async function findFault(damage: Damage, time: FakeTime): Promise<string | undefined> {
  const { harm, heal, isRead, isLinked, says, keepsEarlier } = damage;
  const directory = await Deno.makeTempDir();
  const path = `${directory}/events.db`;
  if (isLinked) await Deno.symlink("data.db", path);
  const sink = await openWithHistory(path);
  const reader = createReaderCalls();
  const other = new DatabaseSync(path);
  if (isRead) other.prepare("BEGIN").run();
  other.prepare("SELECT count(*) FROM events").get();
  store(sink, ["earlier"]);
  reader.sites(path, KEY);

  await harm(path);
  const reason = await until(time, () => {
    try {
      store(sink, [crypto.randomUUID()]);
    } catch (error) {
      return error instanceof Error ? error.message : undefined;
    }
  });
  await assertRejects(() => sink.check(), Error, reason);
  other.close();
  await heal?.(path);
  await until(time, () => {
    try {
      store(sink, ["later"]);
      return "stored";
    } catch {
      return undefined; // the database is still shut
    }
  });
  await sink.check();
  const { totals } = reader.read(path, buildScope({ from: "2026-03-01", to: "2026-03-01" }), { rows: 1 });
  sink.close();
  const { ids, integrity } = readFile(path);
  await Deno.remove(directory, { recursive: true });

  if (!reason.endsWith(says)) return reason;
  if (!ids.includes("later")) return "what came later is missing";
  if (keepsEarlier && !ids.includes("earlier")) return "what came earlier is missing";
  if (totals.events !== ids.length) return `${totals.events} of ${ids.length} events in the report`;
  return integrity === "ok" ? undefined : `${integrity}`;
}

/** Opens a database that has some events in its file; with a copy of the file beside it, of when there were fewer. */
async function openWithHistory(path: string): Promise<SinkCalls> {
  const sink = createSinkCalls();
  sink.open(path);
  store(sink, ["first"]);
  sink.close();
  await Deno.copyFile(path, `${path}.copy`);
  sink.open(path);
  store(sink, Array.from({ length: 100 }, (_, index) => `second-${index}`));
  sink.close();
  sink.open(path);
  return sink;
}

function store(sink: SinkCalls, ids: readonly string[]): void {
  sink.commit([{ apiKey: KEY, texts: ids.map((id) => JSON.stringify({ ...STORED, id })) }]);
}

/** Looks again and again, while time passes, until there is something. */
async function until(time: FakeTime, look: () => string | undefined): Promise<string> {
  for (let waitedMs = 0; waitedMs < LIMIT_MS; waitedMs += LOOK_MS) {
    const found = look();
    if (found !== undefined) return found;
    await time.tickAsync(LOOK_MS);
  }
  throw new Error(`nothing after ${LIMIT_MS} ms`);
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
