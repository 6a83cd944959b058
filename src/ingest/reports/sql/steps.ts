import { findLeftOut } from "../../events/left_out.ts";
import { listScalarForms } from "../../events/scalars.ts";
import { MAX_PROPERTY_KEYS, parseViolation, type ReportReader, type ViolationRow } from "../../ports/reader.ts";
import type { Listed, StepCounts, StepValues } from "../../ports/report_counts.ts";
import type { ListChoice } from "../../ports/report_query.ts";
import { IS_NUMBER, writeWorth } from "./conditions.ts";
import type { Engine, Row } from "./engine.ts";
import { readList, selectList } from "./lists.ts";
import { readNumber, readSum, writeSum } from "./rows.ts";
import { buildTables } from "./tables.ts";

const VISITORS = "uniqExactIf(person, person <> 0) AS visitors";

/** Counts steps. */
export async function readSteps(
  engine: Engine,
  ...[query, rows, choice]: Parameters<ReportReader["steps"]>
): Promise<Listed<StepCounts>> {
  const isBrief = choice?.isBrief === true;
  const definitions = await buildTables(engine, query, { ofPeople: !isBrief });
  const from = `SELECT name AS label, count() AS times, ${isBrief ? "0 AS visitors" : VISITORS}
    FROM chosen_events WHERE NOT is_view GROUP BY name`;
  return await readList(engine, { definitions, from, rows, choice }, {
    sums: ["times"],
    order: "startsWith(label, '$'), times DESC, label",
    columns: { name: "label", count: "times", visitors: "visitors" },
    read: (row) => ({ name: String(row.label), visitors: readNumber(row.visitors), ...readTimes(row) }),
    readSums: readTimes,
  });
}

/** Counts what breaks the plan. */
export async function readViolations(
  engine: Engine,
  ...[query, rows, choice]: Parameters<ReportReader["violations"]>
): Promise<Listed<ViolationRow>> {
  const definitions = await buildTables(engine, query);
  const from = `SELECT concat(violation, ' ', name) AS label, count() AS times
    FROM chosen_events WHERE violation <> '' GROUP BY label`;
  return await readList(engine, { definitions, from, rows, choice }, {
    sums: ["times"],
    order: "times DESC, label",
    columns: {},
    read: (row) => ({ ...parseViolation(String(row.label)), ...readTimes(row) }),
    readSums: readTimes,
  });
}

/** Numbers by what they are, then the others by their text. */
const VALUE_ORDER = ["1 - numbers", "if(numbers = 1, toFloat64OrZero(label), 0)", "shown"];

/** Counts the values of a property. */
export async function readStepValues(
  engine: Engine,
  ...[query, { step, key, sumOf }, rows, choice]: Parameters<ReportReader["stepValues"]>
): Promise<StepValues> {
  const { dialect, select } = engine;
  if (key === undefined) {
    const definitions = await buildTables(engine, query, { ofPeople: true });
    const ofStep = `FROM chosen_events WHERE NOT is_view AND name = ${dialect.quote(step)} AND scalars <> ''`;
    const found = await select(
      `${definitions} SELECT property, times, if(startsWith(JSONExtractRaw(newest, property), '"'), 1, 0) AS is_text
      FROM (
        SELECT property, count() AS times, argMax(scalars, moment) AS newest
        FROM (SELECT arrayJoin(JSONExtractKeys(scalars)) AS property, scalars, moment ${ofStep}) AS p GROUP BY property
      ) AS k ORDER BY times DESC, is_text DESC, property LIMIT ${MAX_PROPERTY_KEYS}`,
    );
    const keys = found.map(({ property }) => String(property));
    return { keys, values: [], distinct: 0, other: null, numbers: null };
  }
  const list = { list: "values", step, key } as const;
  const definitions = await buildTables(engine, query, { list, ofPeople: true, goal: choice?.goal });
  const worth = writeWorth({ event: { step }, ...sumOf !== undefined && { sumOf } }, dialect);
  const from = `SELECT label, count() AS times, if(match(label, ${IS_NUMBER}), 1, 0) AS numbers, ${VISITORS},
      ${sumOf === undefined ? "0" : writeSum(worth)} AS worths,
      if(startsWith(label, '"'), JSONExtractString(concat('{"text":', label, '}'), 'text'), label) AS shown
    FROM listed_events WHERE label <> '' GROUP BY label`;
  const { listed, count, sums } = await selectList(engine, { definitions, from, rows, choice: withForms(choice) }, {
    sums: ["times", "numbers"],
    text: "shown",
    order: "times DESC, label",
    columns: { name: VALUE_ORDER, count: "times", visitors: "visitors" },
  });
  // Most properties have no numbers, and to look for them takes longer than to count all values.
  const mayHaveNumbers = choice?.contains !== undefined || readNumber(sums.numbers) > 0;
  const [numbers = {}] = choice?.names !== undefined || !mayHaveNumbers ? [] : await select(
    `${definitions} SELECT count() AS times, ${writeSum("number")} AS total, ${
      [50, 75, 90].map((percent) => `${dialect.quantile(percent / 100, "number", "1 = 1")} AS p${percent}`)
    } FROM (SELECT toFloat64OrZero(label) AS number FROM listed_events WHERE match(label, ${IS_NUMBER})) AS n`,
  );
  return {
    keys: [],
    values: listed.map((row) => ({
      value: JSON.parse(String(row.label)),
      ...readTimes(row),
      visitors: readNumber(row.visitors),
      ...(sumOf !== undefined && { sum: readSum(row.worths) }),
    })),
    distinct: count,
    other: findLeftOut(readTimes(sums), { rows: listed.map(readTimes), count }),
    numbers: readNumber(numbers.times) === 0 ? null : {
      ...readTimes(numbers),
      sum: readSum(numbers.total),
      median: Number(numbers.p50),
      p75: Number(numbers.p75),
      p90: Number(numbers.p90),
    },
  };
}

/** A number may be stored in another form than the one that it's named by. */
function withForms<C extends string>(choice?: ListChoice<C>): ListChoice<C> | undefined {
  return choice?.names === undefined ? choice : { ...choice, names: choice.names.flatMap(listScalarForms) };
}

function readTimes({ times }: Row): { readonly count: number } {
  return { count: readNumber(times) };
}
