import { assertEquals, assertRejects } from "@std/assert";
import { parquetMetadata, parquetSchema } from "hyparquet";
import type { StoredEvent } from "../../../../src/ingest/mod.ts";
import type { EventColumn } from "../../../../src/ingest/events/columns.ts";
import { packColumns } from "../../../../src/ingest/stores/file/event_parquet.ts";
import { toSealedPath } from "../../../../src/ingest/stores/file/follow_folder.ts";
import { chooseCodec } from "../../../../src/ingest/stores/file/parquet_codec.ts";
import { queryFolder } from "../../../../src/ingest/stores/file/query_folder.ts";
import { SEALED_COLUMNS } from "../../../../src/ingest/stores/file/seal_events.ts";
import { readSealed } from "../../../../src/ingest/stores/file/sealed_rows.ts";
import { KEY, storeEvents } from "../../reports/report_store.ts";
import { ask, askFor, at } from "../../reports/visit_fixtures.ts";
import { type FileStore, withFileStore } from "./file_store.ts";
import { backUp } from "./in_thread.ts";

/** Columns of every type that an earlier release may not have had. */
const LATER = ["browser", "screen_height", "traits", "engaged_ms", "clock_offset_ms", "is_backend"];

const NAMES = SEALED_COLUMNS.map(({ name }) => name);

/** Writes a sealed file anew, with other columns: those that are given, in place of its own of their names. */
async function writeColumns(path: string, columns: readonly EventColumn[], data = new Map<string, unknown[]>()) {
  const { columns: own, count } = await readSealed(path);
  const filled = columns.map((column) => ({
    column,
    data: data.get(column.name) ?? own.get(column.name) ?? Array(count).fill("of a later release"),
  }));
  await Deno.writeFile(path, await packColumns(filled, chooseCodec()));
}

/** The same four people twice, with what the later columns hold or without it. */
function listEvents(day: string, isWhole: boolean): readonly StoredEvent[] {
  return ["ada", "bob", "eve", "dan"].map((user) => {
    const id = `00000000-0000-4000-8000-${day}0${user.charCodeAt(0)}`.padEnd(36, "0");
    const event = at(`2026-03-${day}T10:00:00Z`, { id, user, visitor: `v-${user}`, session: `s-${day}-${user}` });
    if (!isWhole) return event;
    return {
      ...event,
      dimensions: { browser: "Firefox" },
      context: { ...event.context, sdkName: "@vendor/sdk", sdkVersion: "0.1.0", screenHeight: 900 },
      identity: { userId: user, anonymousId: `v-${user}`, traits: { plan: "pro" } },
    };
  });
}

async function look({ folder, reader, data }: FileStore): Promise<unknown> {
  return {
    overview: await reader.overview(ask(), []),
    ofFirefox: (await reader.overview(askFor({ name: "browser", values: ["Firefox"] }), [])).total,
    damaged: await reader.damaged?.(),
    // The batch tells how the events came, which differs from store to store.
    rows: (await queryFolder({ folder, sql: "SELECT * EXCLUDE (batch_id) FROM events ORDER BY seq" })).rows,
    exported: (await Array.fromAsync(data.exportAll())).map(({ event: { batchId: _, ...event } }) => event),
    found: await data.find({ apiKey: KEY, userId: "ada", withVisitors: true }),
  };
}

Deno.test("a file that an earlier release sealed reads as if its events had nothing in the columns that came later", async () => {
  const looks: unknown[] = [];
  for (const isEarlier of [true, false]) {
    await withFileStore(async (store) => {
      const { folder, sink, data, seal } = store;
      // A file of the earlier release, one of today's, and a tail.
      for (const [day, isWhole] of [["01", isEarlier], ["02", true]] as const) {
        await storeEvents(sink, listEvents(day, isWhole));
        await seal();
      }
      await storeEvents(sink, listEvents("03", true).slice(1));
      const path = toSealedPath(folder, 1);
      if (isEarlier) await writeColumns(path, SEALED_COLUMNS.filter(({ name }) => !LATER.includes(name)));
      const before = await look(store);
      const copy = `${folder}-copy`;
      await backUp(folder, copy);
      const copied =
        (await queryFolder({ folder: copy, sql: "SELECT count(), countIf(browser = '') FROM events" })).rows;
      const erased = await data.erase({ apiKey: KEY, userId: "ada", withVisitors: true });
      const after = await look(store);

      looks.push([before, copied, { ...erased, erasedAt: "" }, after]);
      // Written anew, it has all of them.
      const { buffer } = await Deno.readFile(path);
      assertEquals(parquetSchema(parquetMetadata(buffer)).children.map(({ element }) => element.name), NAMES);
    }, { fileEvents: 4 });
  }

  assertEquals(looks[0], looks[1]);
});

Deno.test("a file that an earlier release sealed grows, and has all columns from then on", () =>
  withFileStore(async (store) => {
    const { folder, sink, seal } = store;
    const path = toSealedPath(folder, 1);
    const old = listEvents("01", true).map((event) => ({ ...event, receivedAt: "2026-03-01T10:00:00.000Z" }));
    await storeEvents(sink, old);
    await seal();
    await writeColumns(path, SEALED_COLUMNS.filter(({ name }) => !LATER.includes(name)));
    const sql = "SELECT browser, count() FROM events GROUP BY ALL ORDER BY ALL";
    const before = (await queryFolder({ folder, sql })).rows;

    await storeEvents(sink, listEvents("02", true));
    await seal();

    const { columns, count } = await readSealed(path);
    assertEquals([before, count], [[["", 4n]], 8]);
    assertEquals(Array.from(columns.get("browser") ?? []), [...Array(4).fill(""), ...Array(4).fill("Firefox")]);
    assertEquals((await queryFolder({ folder, sql })).rows, [["", 4n], ["Firefox", 4n]]);
  }));

Deno.test("a file that lacks what every release seals, or has what none did, is damaged and named", async () => {
  const planet: EventColumn = { name: "planet", type: "text", about: "", read: () => "" };
  const changes: readonly (readonly [string, readonly EventColumn[], Map<string, unknown[]>?])[] = [
    ["it lacks key_hash, id", SEALED_COLUMNS.filter(({ name }) => name !== "id" && name !== "key_hash")],
    ["a newer version wrote it: it has planet", [...SEALED_COLUMNS, planet]],
    ["it has another type of browser", retype("browser", "number"), new Map([["browser", [1, 2, 3, 4]]])],
    ["it has another type of time", retype("time", "text"), new Map([["time", ["1", "2", "3", "4"]]])],
  ];
  for (const [fault, columns, cells] of changes) {
    await withFileStore(async ({ folder, sink, seal, reader, data }) => {
      await storeEvents(sink, listEvents("02", true));
      await seal();
      await storeEvents(sink, listEvents("01", true).slice(1));
      const path = toSealedPath(folder, 1);
      await writeColumns(path, columns, cells);
      const bytes = await Deno.readFile(path);
      const message = `the file of events "${path}" can't be read: ${fault}`;

      assertEquals((await reader.overview(ask(), [])).total.pageviews.full, 3);
      assertEquals(await reader.damaged?.(), [{ file: "00000001.parquet", events: 4, message }]);
      await assertRejects(() => data.erase({ apiKey: KEY, userId: "ada" }), Error, message);
      // Nothing that this release doesn't know is lost.
      assertEquals(await Deno.readFile(path), bytes);
    }, { fileEvents: 4 });
  }
});

function retype(name: string, type: EventColumn["type"]): readonly EventColumn[] {
  return SEALED_COLUMNS.map((column) => column.name === name ? { ...column, type } : column);
}
