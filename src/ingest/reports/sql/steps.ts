import { findLeftOut } from "../../events/left_out.ts";
import { listScalarForms } from "../../events/scalars.ts";
import { MAX_PROPERTY_KEYS, parseViolation, type ReportReader, type ViolationRow } from "../../ports/reader.ts";
import type { Listed, StepCounts, StepValues } from "../../ports/report_counts.ts";
import type { ListChoice } from "../../ports/report_query.ts";
import { GOAL_ORDERS, joinConversions } from "./conversions.ts";
import type { Engine, Row } from "./engine.ts";
import { isListed, readList, readNumber, readSum, selectList, writeSum } from "./rows.ts";
import { buildTables, IS_NUMBER, writeWorth } from "./tables.ts";

const VISITORS = "uniqExactIf(person, person <> 0) AS visitors";

/** Counts steps. */
export async function readSteps(
  engine: Engine,
  ...[query, rows, choice]: Parameters<ReportReader["steps"]>
): Promise<Listed<StepCounts>> {
  const { definitions } = await buildTables(engine, query, { ofPeople: choice?.isBrief !== true });
  const visitors = choice?.isBrief === true ? "0 AS visitors" : VISITORS;
  const from = `SELECT name, count() AS times, ${visitors} FROM chosen_events WHERE NOT is_view GROUP BY name`;
  const found = await selectList(engine, { definitions, from }, {
    ...{ sums: ["times"], name: "name", order: "startsWith(name, '$'), times DESC, name" },
    ...{ columns: { name: "name", count: "times", visitors: "visitors" }, rows, choice },
  });
  return readList(
    found,
    (row) => ({ name: String(row.name), visitors: readNumber(row.visitors), ...readTimes(row) }),
    readTimes,
  );
}

/** Counts what breaks the plan. */
export async function readViolations(
  engine: Engine,
  ...[query, rows, choice]: Parameters<ReportReader["violations"]>
): Promise<Listed<ViolationRow>> {
  const { definitions } = await buildTables(engine, query);
  const from = `SELECT concat(violation, ' ', name) AS label, count() AS times
    FROM chosen_events WHERE violation <> '' GROUP BY label`;
  const found = await selectList(engine, { definitions, from }, {
    ...{ sums: ["times"], name: "label", order: "times DESC, label", columns: {}, rows, choice },
  });
  return readList(found, (row) => ({ ...parseViolation(String(row.label)), ...readTimes(row) }), readTimes);
}

/** Numbers by what they are, then the others by their text. */
const VALUE_ORDER = ["1 - numbers", "if(numbers = 1, toFloat64OrZero(json), 0)", "shown"];

/** Counts the values of a property. */
export async function readStepValues(
  engine: Engine,
  ...[query, { step, key, sumOf }, rows, choice]: Parameters<ReportReader["stepValues"]>
): Promise<StepValues> {
  const { dialect, dialect: { quote, quantile }, select } = engine;
  const goal = choice?.goal;
  const { definitions } = await buildTables(engine, query, { ofPeople: true, ...goal && { goal } });
  const ofStep = `FROM chosen_events WHERE NOT is_view AND name = ${quote(step)} AND scalars <> ''`;
  if (key === undefined) {
    const found = await select(
      `${definitions} SELECT property, times, if(startsWith(JSONExtractRaw(newest, property), '"'), 1, 0) AS is_text
      FROM (
        SELECT property, count() AS times, argMax(scalars, moment) AS newest
        FROM (SELECT arrayJoin(JSONExtractKeys(scalars)) AS property, scalars, moment ${ofStep}) AS p GROUP BY property
      ) AS k ORDER BY times DESC, is_text DESC, property LIMIT ${MAX_PROPERTY_KEYS}`,
    );
    return {
      ...{ keys: found.map(({ property }) => String(property)), values: [], distinct: 0, other: null, numbers: null },
    };
  }
  const hasSum = sumOf !== undefined;
  const worth = hasSum ? `, ${writeWorth({ event: { step }, sumOf }, dialect)} AS worth` : "";
  const values = `SELECT JSONExtractRaw(scalars, ${quote(key)}) AS json, person${worth} ${ofStep}`;
  const counted = `SELECT json, count() AS times, if(match(json, ${IS_NUMBER}), 1, 0) AS numbers, ${VISITORS},
      ${
    hasSum ? `${writeSum("worth")} AS worths,` : ""
  } if(startsWith(json, '"'), JSONExtractString(concat('{"text":', json, '}'), 'text'), json) AS shown
    FROM (${values}) AS v WHERE json <> '' GROUP BY json`;
  const from = joinConversions(counted, { name: "json", list: { list: "values", step, key }, goal, dialect });
  const found = await selectList(engine, { definitions, from }, {
    ...{ sums: ["times", "numbers"], name: "json", text: "shown", order: "times DESC, json" },
    ...{ columns: { name: VALUE_ORDER, count: "times", visitors: "visitors", ...GOAL_ORDERS } },
    ...{ rows, choice: withForms(choice) },
  });
  const listed = found.filter(isListed);
  // Most properties have no numbers, and to look for them takes longer than to count all values.
  const mayHaveNumbers = choice?.contains !== undefined || readNumber(found[0]?.all_numbers) > 0;
  const hasNumbers = choice?.names === undefined && mayHaveNumbers;
  const [whole = {}] = !hasNumbers ? [] : await select(
    `${definitions} SELECT countIf(is_number) AS numbers, ${writeSum("number")} AS total,
      ${quantile(0.5, "number", "is_number")} AS median, ${quantile(0.75, "number", "is_number")} AS p75,
      ${quantile(0.9, "number", "is_number")} AS p90
    FROM (
      SELECT match(json, ${IS_NUMBER}) AS is_number, if(match(json, ${IS_NUMBER}), toFloat64OrZero(json), 0) AS number
      FROM (${values}) AS v
    ) AS n`,
  );
  const distinct = readNumber(found[0]?.row_count);
  return {
    keys: [],
    values: listed.map((row) => ({
      value: JSON.parse(String(row.json)),
      ...readTimes(row),
      visitors: readNumber(row.visitors),
      ...(hasSum && { sum: readSum(row.worths) }),
    })),
    distinct,
    other: findLeftOut({ count: readNumber(found[0]?.all_times) }, { rows: listed.map(readTimes), count: distinct }),
    numbers: readNumber(whole.numbers) === 0 ? null : {
      count: readNumber(whole.numbers),
      sum: readSum(whole.total),
      median: Number(whole.median),
      p75: Number(whole.p75),
      p90: Number(whole.p90),
    },
  };
}

/** A number may be stored in another form than the one that it's named by. */
function withForms<C extends string>(choice?: ListChoice<C>): ListChoice<C> | undefined {
  return choice?.names === undefined ? choice : { ...choice, names: choice.names.flatMap(listScalarForms) };
}

function readTimes({ times, all_times: all }: Row): { readonly count: number } {
  return { count: readNumber(times ?? all) };
}
