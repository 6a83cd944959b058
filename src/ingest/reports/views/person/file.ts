import { createColumnSource, SENT_COLUMNS } from "../../../events/columns.ts";
import { type Table, toCell } from "../../view/csv.ts";
import type { PersonForm, PersonView } from "./object.ts";

/** Builds a row an event, with the columns of an export. */
export function toPersonTable(view: PersonView | PersonForm): Table {
  const events = view.of === null ? [] : view.events;
  const sources = events.map(createColumnSource());
  return [
    SENT_COLUMNS.map(({ name }) => name),
    ...sources.map((source) => SENT_COLUMNS.map(({ read }) => toCell(read(source)))),
  ];
}
