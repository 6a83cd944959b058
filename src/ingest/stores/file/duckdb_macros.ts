import type { Dialect } from "../../reports/sql/engine.ts";

/** DuckDB's words that no macro can give. */
export const DUCKDB: Dialect = {
  // A NUL would end it; no text that is counted by has one.
  quote: (text) => `'${text.toWellFormed().replaceAll("\0", "\ufffd").replaceAll("'", "''")}'`,
  quantile: (level, value, condition) => `quantile_disc(${value}, ${level}) FILTER (WHERE ${condition})`,
};

/** ClickHouse's words for DuckDB. */
export const MACROS: readonly string[] = [
  "countIf(c) AS count(*) FILTER (WHERE c)",
  "sumIf(x, c) AS coalesce(sum(x) FILTER (WHERE c), 0)",
  "sumKahan(x) AS fsum(x)",
  "uniqExact(x) AS count(DISTINCT x)",
  "uniqExactIf(x, c) AS count(DISTINCT x) FILTER (WHERE c)",
  "maxIf(x, c) AS max(x) FILTER (WHERE c)",
  "minIf(x, c) AS min(x) FILTER (WHERE c)",
  "argMaxIf(x, y, c) AS arg_max(x, y) FILTER (WHERE c)",
  "argMinIf(x, y, c) AS arg_min(x, y) FILTER (WHERE c)",
  "intDiv(a, b) AS a // b",
  "toInt64(x) AS CAST(x AS BIGINT)",
  "toInt128(x) AS CAST(x AS HUGEINT)",
  "toFloat64OrZero(x) AS coalesce(TRY_CAST(x AS DOUBLE), 0)",
  "startsWith(x, y) AS starts_with(x, y)",
  "match(x, y) AS regexp_matches(x, y)",
  "arrayJoin(x) AS unnest(x)",
  "arrayElement(x, i) AS x[i]",
  // Times have no zone.
  "fromUnixTimestamp64Milli(ms) AS epoch_ms(ms), (ms, zone) AS epoch_ms(ms)",
  "toDate32(x) AS CAST(x AS DATE)",
  "toDayOfWeek(x) AS CAST(isodow(x) AS INTEGER)",
  // As a pointer (RFC 6901), which takes any name.
  "JSONExtractRaw(j, k) AS CASE WHEN j = '' THEN '' ELSE " +
  "coalesce(json_extract(j, '/' || replace(replace(k, '~', '~0'), '/', '~1'))::VARCHAR, '') END",
  "JSONExtractKeys(j) AS json_keys(j)",
  "JSONExtractString(j, k) AS coalesce(json_extract_string(CASE WHEN j = '' THEN '{}' ELSE j END, " +
  "'/' || replace(replace(k, '~', '~0'), '/', '~1')), '')",
];
