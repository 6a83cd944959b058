import type { PathRules } from "../../../../src/ingest/events/path_rules.ts";
import type { CountedEvent } from "../../../../src/ingest/ports/reader.ts";
import type {
  EventTotals,
  Listed,
  NumberCounts,
  StepCounts,
  StepValues,
  ValueCounts,
} from "../../../../src/ingest/ports/report_counts.ts";
import type { ListChoice, ReportQuery } from "../../../../src/ingest/ports/report_query.ts";
import type { Chosen } from "./choose.ts";
import { isSame } from "./count_funnel.ts";
import { compareText, countDistinct, inOrder, isWithin, list, rank } from "./lists.ts";
import { isStepOrAutomatic, type ReadEvent } from "./read_event.ts";

export function countSteps(
  { events }: Chosen,
  { from, to }: ReportQuery,
  ...[rows, choice]: [rows: number, choice?: ListChoice]
): Listed<StepCounts> {
  const steps = events.filter((event) => isStepOrAutomatic(event) && isWithin(event.time, from, to));
  const counts = [...new Set(steps.map(({ name }) => name))].map((name): StepCounts => {
    const ofName = steps.filter((event) => event.name === name);
    return { name, count: ofName.length, visitors: countDistinct(ofName.map(({ visitor }) => visitor)) };
  });
  return list(
    counts,
    rows,
    (one, other) =>
      Number(one.name.startsWith("$")) - Number(other.name.startsWith("$")) || other.count - one.count ||
      compareText(one.name, other.name),
    { choice, read: (row) => ({ ...row }) },
  );
}

export function countValues(
  steps: readonly ReadEvent[],
  key: string | undefined,
  ...[rows, choice, readGoal = () => ({}), sumOf]: [
    rows: number,
    choice?: ListChoice,
    readGoal?: (name: string) => Readonly<Record<string, number | null>>,
    sumOf?: string | undefined,
  ]
): StepValues {
  const names = [...new Set(steps.flatMap(({ properties }) => [...properties.keys()]))];
  const keys = names.map((name) => {
    const having = inOrder(steps.filter(({ properties }) => properties.has(name)));
    return { name, count: having.length, isText: typeof having.at(-1)?.properties.get(name) === "string" };
  })
    .sort((one, other) =>
      other.count - one.count || Number(other.isText) - Number(one.isText) || compareText(one.name, other.name)
    )
    .slice(0, 50).map(({ name }) => name);
  const having = key === undefined ? [] : steps.flatMap(({ properties, visitor }) => {
    const value = properties.get(key);
    const worth = sumOf === undefined ? undefined : properties.get(sumOf);
    return value === undefined ? [] : [{ value, json: JSON.stringify(value), visitor, worth }];
  });
  const values = [...new Set(having.map(({ json }) => json))].map((json) => {
    const ofValue = having.filter((one) => one.json === json);
    const counts: ValueCounts = {
      value: JSON.parse(json),
      count: ofValue.length,
      visitors: countDistinct(ofValue.map(({ visitor }) => visitor)),
    };
    if (sumOf === undefined) return counts;
    const sum = ofValue.reduce((total, { worth }) => typeof worth === "number" ? total + worth : total, 0);
    return { ...counts, sum };
  });
  const nameOf = ({ value }: ValueCounts): string => JSON.stringify(value);
  const listed = list(
    values,
    rows,
    (one, other) => other.count - one.count || compareText(nameOf(one), nameOf(other)),
    {
      choice,
      read: (row) => ({ name: nameOf(row), count: row.count, visitors: row.visitors, ...readGoal(nameOf(row)) }),
      textOf: ({ value }) => String(value),
      compareNames: ({ value: one }, { value: other }) =>
        typeof one === "number" && typeof other === "number"
          ? one - other
          : Number(typeof other === "number") - Number(typeof one === "number") ||
            compareText(String(one), String(other)),
    },
  );
  return {
    keys: key === undefined ? keys : [],
    values: listed.rows,
    distinct: listed.count,
    other: listed.other && { count: listed.other.count },
    numbers: choice?.names === undefined
      ? countNumbers(having.flatMap(({ value }) => typeof value === "number" ? value : []))
      : null,
  };
}

function countNumbers(numbers: readonly number[]): NumberCounts | null {
  const [median, p75, p90] = [50, 75, 90].map((share) => rank(numbers, share));
  if (median === undefined || p75 === undefined || p90 === undefined) return null;
  return { count: numbers.length, sum: numbers.reduce((total, number) => total + number, 0), median, p75, p90 };
}

export function countTotals(
  events: readonly ReadEvent[],
  { event: one, sumOf }: CountedEvent,
  rules: PathRules,
): EventTotals {
  const counted = events.filter((event) => isSame(event, one, rules));
  const values = counted.flatMap(({ properties }) =>
    "step" in one && sumOf !== undefined ? properties.get(sumOf) ?? [] : []
  );
  return {
    count: counted.length,
    visitors: countDistinct(counted.map(({ visitor }) => visitor)),
    sum: values.reduce<number>((total, value) => typeof value === "number" ? total + value : total, 0),
  };
}
