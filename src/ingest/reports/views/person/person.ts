import type { View } from "../../view/view.ts";
import { toPersonTable } from "./file.ts";
import { type PersonForm, type PersonView, readPerson } from "./object.ts";
import { buildPerson, PAGE_EVENTS } from "./page.ts";
import { PERSON_PARAMETERS, type PersonQuery } from "./query.ts";
import { PERSON_SCHEMAS } from "./schema.ts";

export type { PersonView } from "./object.ts";

/** The newest events of one visitor or user. */
export const person: View<PersonQuery, PersonView | PersonForm> = {
  name: "person",
  title: "One person",
  description: "Lists the newest events of one visitor or user.",
  span: "all",
  subject: "person",
  hasBefore: false,
  parameters: PERSON_PARAMETERS,
  schemas: PERSON_SCHEMAS,
  pageRows: PAGE_EVENTS,
  nameSpan: () => "All that is kept",
  read: readPerson,
  build: buildPerson,
  toTable: toPersonTable,
};
