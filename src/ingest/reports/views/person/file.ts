import { EXPORT_COLUMNS } from "../../../events/event_columns.ts";
import { type Table, toCell } from "../../view/csv.ts";
import type { PersonForm, PersonView } from "./object.ts";

/** Builds a row an event, with the columns of an export. */
export function toPersonTable(view: PersonView | PersonForm): Table {
  const events = view.of === null ? [] : view.events;
  return [
    EXPORT_COLUMNS.map(({ name }) => name),
    ...events.map((event) => EXPORT_COLUMNS.map(({ read }) => toCell(read(event)))),
  ];
}
