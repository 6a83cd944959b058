import { VALUE_COLUMNS } from "../../../ports/reader.ts";
import { listGoal } from "../../query/goal_query.ts";
import type { View } from "../../view/view.ts";
import { toStepsTable } from "./file.ts";
import { readSteps, type StepsView } from "./object.ts";
import { buildSteps } from "./page.ts";
import { checkStepsQuery, STEPS_PARAMETERS, type StepsQuery } from "./query.ts";
import { STEPS_SCHEMAS } from "./schema.ts";

export type { StepsView } from "./object.ts";

/** Steps, and the values of one. */
export const steps: View<StepsQuery, StepsView> = {
  name: "steps",
  title: "Steps",
  description:
    "Lists steps (events), the site's own before automatic ones; with `step`, the values of one of its properties.",
  span: "days",
  subject: "site",
  hasBefore: true,
  parameters: STEPS_PARAMETERS,
  columns: VALUE_COLUMNS,
  listGoals: listGoal,
  schemas: STEPS_SCHEMAS,
  checkQuery: checkStepsQuery,
  isEmpty: ({ rows }) => rows.length === 0,
  read: readSteps,
  build: buildSteps,
  toTable: toStepsTable,
};
