import { MAX_PROPERTY_KEYS, parseViolation } from "../../../ports/reader.ts";
import type { Listed, NumberCounts, StepCounts, StepValues, ValueCounts, ViolationRow } from "../../../ports/reader.ts";
import { VALUE_KINDS } from "../sqlite_facts_schema.ts";
import type { Chosen } from "./chosen.ts";
import { compareTexts } from "./order.ts";
import { findRank, findTexts, IS_STEP, type Row } from "./select.ts";

/** Counts steps. */
export function countSteps({ query: { from, to }, select, facts }: Chosen, rows: number): Listed<StepCounts> {
  const found = select(
    `SELECT t.text AS name, counts.* FROM (
      SELECT f.name AS id, count(*) AS count, count(DISTINCT f.visitor) AS visitors
      FROM facts AS f WHERE ${facts} AND ${IS_STEP} GROUP BY 1
    ) AS counts JOIN fact_texts AS t USING (id)`,
    from,
    to,
  );
  const steps = found
    .map((row) => ({ name: String(row.name), count: Number(row.count), visitors: Number(row.visitors) }))
    .sort((one, other) => other.count - one.count || compareTexts(one.name, other.name));
  return { rows: steps.slice(0, rows), count: steps.length };
}

/** Counts what breaks the plan. */
export function countViolations({ query: { from, to }, select, facts }: Chosen, rows: number): Listed<ViolationRow> {
  const found = select(
    `SELECT t.text AS label, counts.count AS count, count(*) OVER () AS labels FROM (
      SELECT f.violation AS id, count(*) AS count FROM facts AS f
      WHERE ${facts} AND f.violation IS NOT NULL GROUP BY 1
    ) AS counts JOIN fact_texts AS t USING (id) ORDER BY count DESC, label LIMIT ?`,
    from,
    to,
    rows,
  );
  return {
    rows: found.map(({ label, count }) => ({ ...parseViolation(String(label)), count: Number(count) })),
    count: Number(found[0]?.labels ?? 0),
  };
}

/** Counts the values of a step's property. */
export function countValues(
  chosen: Chosen,
  { step, key }: { readonly step: string; readonly key?: string },
  rows: number,
): StepValues {
  const { query: { from, to }, select, facts } = chosen;
  const ofStep = `FROM facts AS f JOIN fact_properties AS p ON p.seq = f.seq
    WHERE ${facts} AND ${IS_STEP} AND f.name IN ${findTexts([step])}`;
  const keys = select(
    `SELECT t.text AS key, counts.count AS count FROM (
      SELECT p.key AS id, count(*) AS count ${ofStep} GROUP BY 1
    ) AS counts JOIN fact_texts AS t USING (id)`,
    from,
    to,
  ).map((row) => ({ key: String(row.key), count: Number(row.count) }))
    .sort((one, other) => other.count - one.count || compareTexts(one.key, other.key))
    .slice(0, MAX_PROPERTY_KEYS).map(({ key }) => key);
  if (key === undefined) return { keys, values: [], distinct: 0, numbers: null };
  const ofKey = `${ofStep} AND p.key IN ${findTexts([key])}`;
  const values = select(
    `SELECT counts.*, t.text AS text FROM (
      SELECT p.kind AS kind, p.value AS value, count(*) AS count, count(DISTINCT f.visitor) AS visitors
      ${ofKey} GROUP BY p.kind, p.value
    ) AS counts LEFT JOIN fact_texts AS t ON counts.kind = ${VALUE_KINDS.text} AND t.id = counts.value`,
    from,
    to,
  ).map((row): ValueCounts => ({
    value: readValue(row),
    count: Number(row.count),
    visitors: Number(row.visitors),
  })).sort((one, other) =>
    other.count - one.count || compareTexts(JSON.stringify(one.value), JSON.stringify(other.value))
  );
  return { keys, values: values.slice(0, rows), distinct: values.length, numbers: countNumbers(chosen, ofKey) };
}

function countNumbers({ query: { from, to }, select }: Chosen, ofKey: string): NumberCounts | null {
  const ofNumbers = `${ofKey} AND p.kind = ${VALUE_KINDS.number}`;
  const { count, total } = select.one(`SELECT count(*) AS count, sum(p.value) AS total ${ofNumbers}`, from, to);
  if (Number(count) === 0) return null;
  const find = (share: number): number => {
    const sql = `SELECT p.value AS value ${ofNumbers} ORDER BY 1 LIMIT 1 OFFSET ?`;
    return Number(select.one(sql, from, to, findRank(Number(count), share)).value);
  };
  return { count: Number(count), sum: Number(total), median: find(0.5), p90: find(0.9) };
}

function readValue({ kind, value, text }: Row): ValueCounts["value"] {
  if (Number(kind) === VALUE_KINDS.text) return String(text);
  if (Number(kind) === VALUE_KINDS.number) return Number(value);
  return Number(kind) === VALUE_KINDS.null ? null : Number(value) === 1;
}
