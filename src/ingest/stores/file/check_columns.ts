import { type ColumnType, ESSENTIAL_COLUMNS, type EventColumn } from "../../events/columns.ts";
import { SEALED_COLUMNS } from "./seal_events.ts";

/**
 * Returns the columns that a sealed file lacks: an earlier release sealed it. Its events have nothing in them.
 *
 * @param found Types of the file's columns, by their names.
 * @param types Names of the types, as `found` has them.
 * @throws {Error} Where it is no sealed file, or a newer release sealed it.
 */
export function checkColumns(
  found: ReadonlyMap<string, string>,
  types: Readonly<Record<ColumnType, string>>,
): readonly EventColumn[] {
  const lacking = SEALED_COLUMNS.filter(({ name }) => !found.has(name));
  refuse("it lacks", lacking.filter(({ name }) => ESSENTIAL_COLUMNS.includes(name)));
  const names = new Set(SEALED_COLUMNS.map(({ name }) => name));
  // Who writes the file anew would lose them.
  refuse("a newer version wrote it: it has", [...found.keys()].filter((name) => !names.has(name)).map(toNamed));
  const isOther = ({ name, type }: EventColumn): boolean => (found.get(name) ?? types[type]) !== types[type];
  refuse("it has another type of", SEALED_COLUMNS.filter(isOther));
  return lacking;
}

function toNamed(name: string): Pick<EventColumn, "name"> {
  return { name };
}

function refuse(fault: string, columns: readonly Pick<EventColumn, "name">[]): void {
  if (columns.length > 0) throw new Error(`${fault} ${columns.map(({ name }) => name).join(", ")}`);
}
