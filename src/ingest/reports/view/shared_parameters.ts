/**
 * Parameters of every view, as programs are told.
 *
 * @module
 */
import { FILTER_NAMES, FILTERS } from "../../ports/report_filters.ts";
import { TRAFFICS } from "../../ports/report_query.ts";
import type { Section } from "../page/page.ts";
import type { Parameter, Schema } from "../query/parameter.ts";
import { COMPARISONS } from "../query/view_query.ts";
import { DAY, listOf, TEXT } from "./schema.ts";
import { MAX_ROWS } from "./view.ts";

/** A parameter, as programs are told. */
export type DescribedParameter = Pick<Parameter<unknown>, "name" | "schema" | "description">;

/** A day, or nothing: an empty field of a form is as one that isn't there. */
const OPTIONAL_DAY: Schema = { anyOf: [DAY, { const: "" }] };

const SITE: DescribedParameter = {
  name: "site",
  schema: TEXT,
  description: "Origin of a registered site, `none` for what has no site; the one with the most events by default.",
};

const DAYS: readonly DescribedParameter[] = [
  { name: "from", schema: OPTIONAL_DAY, description: "First day, `2026-01-31`; so that there are 30 days by default." },
  { name: "to", schema: OPTIONAL_DAY, description: "Last day, included, at most ten years later; today by default." },
];

const ZONE: DescribedParameter = {
  name: "zone",
  schema: TEXT,
  description: "Time zone of the days, by its IANA name, `Europe/Berlin`; that of the key by default, else UTC.",
};

const COMPARE: DescribedParameter = {
  name: "compare",
  schema: { enum: COMPARISONS, default: COMPARISONS[0] },
  description:
    "What stands beside: as many days before, the same weekdays of as many whole weeks before, the same days of the month before, its last where it has no such day, or the same weekdays 364 days before.",
};

/** Names the filters that take only some values, and these. */
function describeValues(): string {
  return Object.entries(FILTERS).map(([name, { values }]) => values && `${name} is one of ${values.join(", ")}; `).join(
    "",
  );
}

const WHOSE: readonly DescribedParameter[] = [
  {
    name: "traffic",
    schema: { enum: TRAFFICS, default: TRAFFICS[0] },
    description: "Whose events: of people, of crawlers, or of own visits.",
  },
  {
    name: "filter",
    schema: listOf(TEXT),
    description:
      `A name, a colon and a value, repeated for more; several values of a name are alternatives. Names: ${
        FILTER_NAMES.join(", ")
      }. A property is property:tier:"pro", its value as JSON, or property@signup:tier:"pro" of one step; ` +
      `${describeValues()}goal is the name of one.`,
  },
];

/** Most rows of a list of a file. */
export const LIMIT: DescribedParameter = {
  name: "limit",
  schema: { type: "integer", minimum: 1, maximum: MAX_ROWS, default: MAX_ROWS },
  description: "Most rows of each list in JSON and CSV. What isn't among them is summed up beside them.",
};

/** The parameters of any view. */
export const SHARED_PARAMETERS: readonly DescribedParameter[] = [SITE, ...DAYS, ZONE, COMPARE, ...WHOSE];

/** Lists what of it means something to a view. */
export function listParametersOf({ span, subject, hasBefore }: Section): readonly DescribedParameter[] {
  if (subject === "person") return [SITE];
  return [
    ...(subject === "site" ? [SITE] : []),
    ...(span === "days" ? [...DAYS, ZONE] : []),
    ...(hasBefore ? [COMPARE] : []),
    ...WHOSE,
  ];
}
