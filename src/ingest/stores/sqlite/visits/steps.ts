import { findLeftOut } from "../../../events/left_out.ts";
import { MAX_PROPERTY_KEYS, parseViolation } from "../../../ports/reader.ts";
import type { Listed, NumberCounts, StepCounts, StepValues, ValueCounts, ViolationRow } from "../../../ports/reader.ts";
import { VALUE_KINDS } from "../sqlite_facts_schema.ts";
import type { Chosen } from "./chosen.ts";
import { createCounts, listCounts } from "./listed.ts";
import { compareTexts } from "./order.ts";
import { findRank, findTexts, IS_STEP, type Row, type Select } from "./select.ts";

/** Counts steps. */
export function countSteps(
  { database, query: { from, to }, select, facts }: Chosen,
  rows: number,
): Listed<StepCounts> {
  createCounts(database, {
    table: "steps",
    query: `SELECT f.name AS id, count(*) AS count, count(DISTINCT f.visitor) AS visitors
      FROM facts AS f WHERE ${facts} AND ${IS_STEP} GROUP BY 1`,
    bounds: [from, to],
  });
  return listCounts(select, {
    table: "steps",
    sums: ["count"],
    query: `SELECT c.*, t.text AS name FROM steps AS c JOIN fact_texts AS t USING (id)
      ORDER BY t.text GLOB '$*', c.count DESC, t.text`,
    rows,
    readSums: readCount,
    read: (row) => ({ name: String(row.name), visitors: Number(row.visitors), ...readCount(row) }),
  });
}

/** Counts what breaks the plan. */
export function countViolations(
  { database, query: { from, to }, select, facts }: Chosen,
  rows: number,
): Listed<ViolationRow> {
  createCounts(database, {
    table: "violations",
    query: `SELECT f.violation AS id, count(*) AS count FROM facts AS f
      WHERE ${facts} AND f.violation IS NOT NULL GROUP BY 1`,
    bounds: [from, to],
  });
  return listCounts(select, {
    table: "violations",
    sums: ["count"],
    query:
      "SELECT c.*, t.text AS label FROM violations AS c JOIN fact_texts AS t USING (id) ORDER BY c.count DESC, t.text",
    rows,
    readSums: readCount,
    read: (row) => ({ ...parseViolation(String(row.label)), ...readCount(row) }),
  });
}

function readCount({ count }: Row): { readonly count: number } {
  return { count: Number(count ?? 0) };
}

/** Counts the values of a step's property. */
export function countValues(
  chosen: Chosen,
  { step, key }: { readonly step: string; readonly key?: string },
  rows: number,
): StepValues {
  const { database, query: { from, to }, select, facts } = chosen;
  const ofStep = `FROM facts AS f JOIN fact_properties AS p ON p.seq = f.seq
    WHERE ${facts} AND ${IS_STEP} AND f.name IN ${findTexts([step])}`;
  const keys = select(
    `SELECT t.text AS key FROM (
      SELECT p.key AS id, count(*) AS count ${ofStep} GROUP BY 1
    ) AS counts JOIN fact_texts AS t USING (id) ORDER BY counts.count DESC, t.text LIMIT ${MAX_PROPERTY_KEYS}`,
    from,
    to,
  ).map((row) => String(row.key));
  if (key === undefined) return { keys, values: [], distinct: 0, other: null, numbers: null };
  const ofKey = `${ofStep} AND p.key IN ${findTexts([key])}`;
  createCounts(database, {
    table: "step_values",
    query: `SELECT p.kind AS kind, p.value AS value, count(*) AS count, count(DISTINCT f.visitor) AS visitors
      ${ofKey} GROUP BY p.kind, p.value`,
    bounds: [from, to],
  });
  const all = select.one("SELECT count(*) AS rows, sum(count) AS count FROM step_values");
  const texts = select(
    `SELECT c.*, t.text AS text FROM step_values AS c JOIN fact_texts AS t ON t.id = c.value
    WHERE c.kind = ${VALUE_KINDS.text} ORDER BY c.count DESC, json_quote(t.text) LIMIT ?`,
    rows,
  );
  // The JSON of a number isn't the same in SQL. Of as many, all are read.
  const others = select(
    `WITH others AS (SELECT * FROM step_values WHERE kind <> ${VALUE_KINDS.text})
    SELECT * FROM others WHERE count >= coalesce((SELECT count FROM others ORDER BY count DESC LIMIT 1 OFFSET ? - 1), 0)`,
    rows,
  );
  const values = [...texts, ...others].map((row): ValueCounts => ({
    value: readValue(row),
    count: Number(row.count),
    visitors: Number(row.visitors),
  })).sort((one, other) =>
    other.count - one.count || compareTexts(JSON.stringify(one.value), JSON.stringify(other.value))
  ).slice(0, rows);
  const distinct = Number(all.rows);
  const other = findLeftOut(readCount(all), { rows: values, count: distinct });
  return { keys, values, distinct, other, numbers: countNumbers(select) };
}

/** Counts the numbers among the values that are in the table by now. */
function countNumbers(select: Select): NumberCounts | null {
  const ofNumbers = `FROM step_values WHERE kind = ${VALUE_KINDS.number}`;
  const { count, total } = select.one(`SELECT sum(count) AS count, sum(value * count) AS total ${ofNumbers}`);
  if (count === null) return null;
  const find = (share: number): number => {
    const sql = `SELECT value FROM (SELECT value, sum(count) OVER (ORDER BY value) AS up_to ${ofNumbers})
      WHERE up_to > ? ORDER BY value LIMIT 1`;
    return Number(select.one(sql, findRank(Number(count), share)).value);
  };
  return { count: Number(count), sum: Number(total), median: find(0.5), p75: find(0.75), p90: find(0.9) };
}

function readValue({ kind, value, text }: Row): ValueCounts["value"] {
  if (Number(kind) === VALUE_KINDS.text) return String(text);
  if (Number(kind) === VALUE_KINDS.number) return Number(value);
  return Number(kind) === VALUE_KINDS.null ? null : Number(value) === 1;
}
