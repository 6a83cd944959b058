import { cutScalar } from "../../../events/scalars.ts";
import { toFactText } from "../../../events/visit_facts.ts";
import type { ReportReader } from "../../../ports/reader.ts";
import type { StepCounts } from "../../../ports/report_counts.ts";
import type { ReportQuery } from "../../../ports/report_query.ts";
import { isFew } from "../../query/few.ts";
import type { Goal, Goals } from "../../query/goals.ts";
import { toNumber } from "../../view/divide.ts";

/** A row of steps that may be worth something. */
export interface Valued {
  /** Worth of its steps by the first goal that any step of the name reaches; absent where none says it. */
  readonly goalValue?: number;
}

/** Worth of each step: a number, or the name of the property that says it. */
type StepValue = NonNullable<Goal["value"]>;

/** Finds what each step of a name is worth. */
export function findStepValue(goals: Goals, name: string): StepValue | undefined {
  return Object.values(goals).find((goal) =>
    "step" in goal && toFactText(goal.step) === name && goal.property === undefined && goal.value !== undefined
  )?.value;
}

/** Names the property that is summed for it. */
export function toSumOf(value: StepValue | undefined): { readonly sumOf?: string } {
  return typeof value === "string" ? { sumOf: cutScalar(value) } : {};
}

/** Returns what steps are worth together. */
export function toValued(
  value: StepValue | undefined,
  { count, visitors, sum = 0 }: { readonly count: number; readonly visitors: number; readonly sum?: number },
): Valued {
  if (value === undefined || isFew(count) || isFew(visitors)) return {};
  return { goalValue: toNumber(typeof value === "number" ? value * count : sum) };
}

/** Adds to each row of steps what these are worth. */
export async function addGoalValues<T extends StepCounts>(
  reader: ReportReader,
  { query, goals }: { readonly query: ReportQuery; readonly goals: Goals },
  rows: readonly T[],
): Promise<readonly (T & Valued)[]> {
  // What each is worth by itself needs no other count than that of the row.
  const summed = rows.flatMap(({ name }) => {
    const { sumOf } = toSumOf(findStepValue(goals, name));
    return sumOf === undefined ? [] : [{ event: { step: name }, sumOf }];
  });
  const counted = summed.length === 0 ? [] : await reader.countEvents(query, summed, []);
  const totals = new Map(summed.map(({ event: { step } }, index) => [step, counted[index]?.total]));
  return rows.map((row) => ({ ...row, ...toValued(findStepValue(goals, row.name), totals.get(row.name) ?? row) }));
}
