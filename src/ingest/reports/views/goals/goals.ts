import type { View } from "../../view/view.ts";
import { toGoalsTable } from "./file.ts";
import { type GoalsView, readGoals } from "./object.ts";
import { buildGoals } from "./page.ts";
import { GOALS_SCHEMAS } from "./schema.ts";

export type { GoalsView } from "./object.ts";

/** The completions of the key's goals. */
export const goals: View<object, GoalsView> = {
  name: "goals",
  title: "Goals",
  description:
    "Counts how often each goal of the key is reached, by how many visitors, and its value, beside the period before.",
  span: "days",
  subject: "site",
  hasBefore: true,
  parameters: {},
  schemas: GOALS_SCHEMAS,
  isEmpty: ({ rows }) => rows.length === 0,
  read: (source, request) => readGoals(source, request),
  build: buildGoals,
  toTable: toGoalsTable,
};
