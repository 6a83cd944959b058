import { assertEquals } from "@std/assert";
import { createColumnSource, readCell, SENT_COLUMNS } from "../../../src/ingest/events/columns.ts";
import { hashText } from "../../../src/ingest/events/hash_text.ts";
import { rebuildEvent } from "../../../src/ingest/events/rebuild_event.ts";
import { STORED, STORED_PAGEVIEW } from "../stores/sink_contract.ts";

Deno.test("rebuildEvent() makes an event of its columns again", () => {
  const read = createColumnSource();
  const rowOf = (event: typeof STORED): Readonly<Record<string, unknown>> =>
    Object.fromEntries(SENT_COLUMNS.map((column) => {
      const cell = readCell(column, read(event));
      return [column.name, column.type === "time" ? new Date(String(cell)) : cell];
    }));

  for (const event of [STORED, STORED_PAGEVIEW]) assertEquals(rebuildEvent(rowOf(event)), event);
});

Deno.test("a column of a field has what the event has there", () => {
  const source = createColumnSource()(STORED);
  const find = (field: string): unknown =>
    field.split(".").reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], STORED);
  const columns = SENT_COLUMNS.flatMap(({ name, field, read }) => field === undefined ? [] : [{ name, field, read }]);

  assertEquals(
    columns.map(({ name, read }) => [name, read(source)]),
    columns.map(({ name, field }) => [name, find(field)]),
  );
  assertEquals(columns.length, SENT_COLUMNS.length - 1);
});

Deno.test("hashText() tells a million ids apart, and has nothing of an empty one", () => {
  const hashes = new Set(Array.from({ length: 1_000_000 }, (_, index) => hashText(`v-${index}`)));

  assertEquals([hashes.size, hashes.has(0n), hashText("")], [1_000_000, false, 0n]);
});
