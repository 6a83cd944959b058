import { cutScalar } from "../../../events/scalars.ts";
import { PAGEVIEW_ID, toFactText } from "../../../events/visit_facts.ts";
import { type ReportReader, STEP_COLUMNS, VALUE_COLUMNS } from "../../../ports/reader.ts";
import type { StepCounts, StepValues, ValueCounts } from "../../../ports/report_counts.ts";
import type { ReportQuery } from "../../../ports/report_query.ts";
import { isNarrow, type ListQuery, toChoice, WHOLE_LIST } from "../../query/list_query.ts";
import type { Note } from "../../query/notes.ts";
import { findPeriods, type PartUnit } from "../../query/periods.ts";
import type { Zone } from "../../query/zones.ts";
import { toNumber } from "../../view/divide.ts";
import { addConversions, type BesideGoal, toGoalChoice } from "../../view/conversion.ts";
import { type Beside, listBeside, type ListedBeside } from "../../view/list_beside.ts";
import { readScope, toQuery, type ViewScope } from "../../view/scope.ts";
import { formatStart } from "../../view/spans.ts";
import type { ViewRequest, ViewSource } from "../../view/view.ts";
import { addGoalValues, findStepValue, toSumOf, toValued } from "./goal_value.ts";
import type { StepsQuery } from "./query.ts";

/** Steps, the site's own before automatic ones; with `step`, the values of one of its properties. */
export interface StepsView extends ViewScope {
  /** Which view it is. */
  readonly view: "steps";
  /** The period of `before`: as many days before, the same weekdays before, the same days a month before, or the same weekdays a year ago. */
  readonly compare: "before" | "weeks" | "month" | "year";
  /** Steps, each beside the period before. */
  readonly rows: readonly (Beside<StepCounts, "name"> & {
    /** Worth of the steps by the first goal of the key that any of them reaches; absent where none says it. */
    readonly goalValue?: number;
  })[];
  /** Number of all of them. */
  readonly count: number;
  /** Sums of those that aren't among them, but for visitors, who don't add up; null where all are. */
  readonly other: Pick<StepCounts, "count"> | null;
  /** Values of a step; absent unless one was asked for. */
  readonly values?: {
    /** Name of the step. */
    readonly step: string;
    /** Length of the parts. */
    readonly unit: "hour" | "day" | "week" | "month";
    /** Number of times that it happened, part by part. */
    readonly parts: readonly {
      /** When it begins on the clocks of the zone: a day, or `2026-01-31T14:00`. */
      readonly from: string;
      /** Number of times that it happened. */
      readonly count: number;
      /** Distinct visitors who made it. */
      readonly visitors: number;
    }[];
    /** Notes of the days, the first day first. */
    readonly notes: readonly Note[];
    /** Its properties, at most 50: the most frequent first, of as many those whose newest value is a text. */
    readonly keys: readonly string[];
    /** The property whose values are listed: the first one unless another was asked for; null for steps without properties. */
    readonly key: string | null;
    /** Values, the most frequent first, each beside the period before. */
    readonly rows: readonly (BesideGoal<Beside<ValueCounts, "value">> & {
      /** Worth of the steps with it, as in the list of steps. */
      readonly goalValue?: number;
    })[];
    /** Number of distinct ones. */
    readonly count: number;
    /** Number of steps with other values than those listed; null where all are. */
    readonly other: Pick<ValueCounts, "count"> | null;
    /** Sums and ranks of the numbers among them; null where there is none. */
    readonly numbers: StepValues["numbers"];
  };
  /** The events that break the plan, the most frequent first; none with `step`. */
  readonly violations: Awaited<ReturnType<ReportReader["violations"]>>["rows"];
  /** Number of distinct breaches. */
  readonly violationCount: number;
  /** Targets of the automatic events of `./auto` that lead somewhere, as far as there are such events; none with `step`. */
  readonly targets: readonly {
    /** Name of the event. */
    readonly step: "$outbound" | "$download" | "$form";
    /** The property that says where. */
    readonly key: "url" | "form" | "path";
    /** Its values, the most frequent first. */
    readonly rows: readonly ValueCounts[];
    /** Number of distinct ones. */
    readonly count: number;
    /** Number of visits to others; null where all are listed. */
    readonly other: Pick<ValueCounts, "count"> | null;
  }[];
}

/** The values of a step. */
export type StepValuesView = NonNullable<StepsView["values"]>;

/** A step in an hour, a day, a week or a month. */
export type StepPart = StepValuesView["parts"][number];

/** Where an automatic event led to. */
export type TargetsView = StepsView["targets"][number];

/** Lists steps, and the values of one. */
export async function readSteps(
  source: ViewSource,
  request: ViewRequest & StepsQuery,
  rows: number,
): Promise<StepsView> {
  const { reader, now } = source;
  const { current, unit } = findPeriods(request, now());
  const query = toQuery(request, current);
  const { step, key, zone, compare } = request;
  // Of a step, the list of its values is the one that is asked for.
  const listed = await listSteps(source, step === undefined ? request : { ...request, ...WHOLE_LIST }, rows);
  const values = step === undefined ? undefined : {
    step,
    unit,
    parts: await readStepParts(reader, { query, step, bounds: current.bounds, zone, unit }),
    notes: request.notes,
    ...await readValues(source, request, { query, step, key, rows }),
  };
  const violations = step === undefined
    ? await reader.violations(query, rows, { skip: request.violationOffset })
    : undefined;
  const targets = step === undefined
    ? await readTargets(reader, { query, rows, mayHave: (name) => isNarrow(request) || mayList(listed, name) })
    : [];
  return {
    view: "steps",
    ...await readScope(source, request),
    compare,
    ...listed,
    rows: await addGoalValues(reader, { query, goals: request.goals }, listed.rows),
    ...(values !== undefined && { values }),
    violations: violations?.rows ?? [],
    violationCount: violations?.count ?? 0,
    targets,
  };
}

/** Reads the rows of steps, each beside the period before. */
export async function listSteps(
  source: ViewSource,
  request: ViewRequest & ListQuery,
  rows: number,
): Promise<ListedBeside<StepCounts, "name">> {
  const { reader } = source;
  return await listBeside<StepCounts, "name">(source, {
    request,
    name: "name",
    nameOf: ({ name }) => name,
    list: (query) => reader.steps(query, rows, toChoice(request, STEP_COLUMNS)),
    find: (...asked) => reader.steps(...asked),
  });
}

/** Returns whether a step may be among those that are listed, or that the list leaves out. */
function mayList({ rows, count }: Pick<StepsView, "rows" | "count">, name: string): boolean {
  return count > rows.length || rows.some((row) => row.name === name);
}

interface PartsQuery {
  readonly query: ReportQuery;
  readonly step: string;
  readonly bounds: readonly number[];
  readonly zone: Zone;
  readonly unit: PartUnit;
}

/** Reads how often a step happened, part by part. */
async function readStepParts(
  reader: ReportReader,
  { query, step, bounds, zone, unit }: PartsQuery,
): Promise<readonly StepPart[]> {
  const [{ parts } = { parts: [] }] = await reader.countEvents(query, [{ event: { step } }], bounds);
  return parts.map(({ count, visitors }, index) => ({
    from: formatStart(bounds[index] ?? 0, { zone, unit }),
    count,
    visitors,
  }));
}

interface ValuesQuery {
  readonly query: ReportQuery;
  readonly step: string;
  readonly key: string | undefined;
  readonly rows: number;
}

/** Reads the values of a property; without a key, those of the most frequent one. */
async function readValues(
  source: ViewSource,
  request: ViewRequest & StepsQuery,
  { query, step: asked, key, rows }: ValuesQuery,
): Promise<Omit<StepValuesView, "step" | "unit" | "parts" | "notes">> {
  const { reader } = source;
  const step = toFactText(asked);
  const chosen = key === undefined ? undefined : cutScalar(key);
  const keys = (await reader.stepValues(query, { step }, 0)).keys.filter((name) => name !== PAGEVIEW_ID);
  const found = chosen ?? keys[0];
  if (found === undefined) return { keys: [], key: null, rows: [], count: 0, other: null, numbers: null };
  const of = { step, key: found };
  const worth = findStepValue(request.goals, step);
  const { values, distinct, other, numbers } = await reader.stepValues(
    query,
    { ...of, ...toSumOf(worth) },
    rows,
    toGoalChoice(request, VALUE_COLUMNS),
  );
  const nameOf = ({ value }: ValueCounts): string => JSON.stringify(value);
  const listed = await listBeside<ValueCounts, "value">(source, {
    request,
    name: "value",
    nameOf,
    list: () => Promise.resolve({ rows: values.map(({ sum: _, ...row }) => row), count: distinct, other }),
    find: async (...[before, most, choice]) => {
      const earlier = await reader.stepValues(before, of, most, choice);
      return { rows: earlier.values, count: earlier.distinct, other: earlier.other };
    },
  });
  const summed = numbers && { ...numbers, sum: toNumber(numbers.sum) };
  const beside = await addConversions(source, request, { list: { list: "values", ...of }, rows: listed.rows, nameOf });
  // As many rows, in the same order.
  const valued = beside.map((row, index) => ({ ...row, ...toValued(worth, values[index] ?? row) }));
  return { keys, key: found, ...listed, rows: valued, numbers: summed };
}

/** Automatic events that lead somewhere, and the properties that say where: the first that there is. */
const TARGET_KEYS: Readonly<Record<TargetsView["step"], readonly TargetsView["key"][]>> = {
  $outbound: ["url"],
  $download: ["url"],
  $form: ["form", "path"],
};

/** The query of all targets. */
interface TargetsQuery {
  readonly query: ReportQuery;
  readonly rows: number;
  /** Returns whether there may be steps of a name. */
  readonly mayHave: (name: string) => boolean;
}

/** Reads where automatic events led to. */
async function readTargets(reader: ReportReader, { query, rows, mayHave }: TargetsQuery): Promise<TargetsView[]> {
  const targets: TargetsView[] = [];
  for (const step of ["$outbound", "$download", "$form"] as const) {
    if (!mayHave(step)) continue;
    for (const key of TARGET_KEYS[step]) {
      const { values, distinct, other } = await reader.stepValues(query, { step, key }, rows);
      if (distinct === 0) continue;
      targets.push({ step, key, rows: values, count: distinct, other });
      break;
    }
  }
  return targets;
}
