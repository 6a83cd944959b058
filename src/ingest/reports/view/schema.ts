/**
 * Pieces of the schemas of views.
 *
 * @module
 */
import type { Schema } from "../query/parameter.ts";
import { COMPARISONS } from "../query/view_query.ts";
import { type FigureName, FIGURES } from "../../events/figures.ts";
import { FILTER_NAMES } from "../../ports/report_filters.ts";
import { TRAFFICS } from "../../ports/report_query.ts";

/** A count. */
export const COUNT: Schema = { type: "integer", minimum: 0 };

/** A text. */
export const TEXT: Schema = { type: "string" };

/** A day. */
export const DAY: Schema = { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\d$", description: "A day of the zone." };

/** A share. */
export const SHARE: Schema = {
  type: ["number", "null"],
  minimum: 0,
  maximum: 1,
  description: "From 0 to 1; null where there is nothing to take it of.",
};

/** Adds what a figure is to its schema, beside what the schema says itself. */
export function describe(name: FigureName, schema: Schema): Schema {
  const own = schema["description"];
  return { ...schema, description: FIGURES[name].sentence + (own === undefined ? "" : ` ${own}`) };
}

/** A ratio. */
export const RATIO: Schema = {
  type: ["number", "null"],
  minimum: 0,
  description: "Null where there is nothing to divide by.",
};

/** A label, or none. */
export const LABEL: Schema = { type: ["string", "null"], description: "Null for those without one." };

/** Notes of the days. */
export const NOTES: Schema = listOf(objectOf({ day: DAY, text: TEXT }, { site: TEXT }));

/** Pageviews of both forms. */
export const PAGEVIEWS: Schema = schemaOf("PageviewCounts");

/** The first day and the last. */
export const PERIOD: Schema = { from: DAY, to: DAY };

/** The description of a view. */
export const SCOPE: Schema = {
  site: { ...TEXT, description: "Origin of the site." },
  ...PERIOD,
  zone: { ...TEXT, description: "Time zone of the days, by its IANA name." },
  traffic: { enum: TRAFFICS, description: "Whose events: of people, of crawlers, or of own visits." },
  filters: listOf(schemaOf("ReportFilter")),
};

/** Files that are left out. */
export const DAMAGED: Schema = {
  damaged: {
    ...listOf(objectOf({ file: TEXT, events: { ...COUNT, description: "Those that it should have, of all keys." } })),
    description: "Files of the store that can't be read: none of their events is counted. Absent where there is none.",
  },
};

/** The period beside the days. */
export const COMPARE: Schema = { compare: { enum: COMPARISONS } };

/** A part's length. */
export const UNIT: Schema = { enum: ["hour", "day", "week", "month"], description: "How long the parts are." };

/** When a part begins. */
export const PART_FROM: Schema = {
  type: "string",
  description: "When the part begins on the clocks of the zone: a day, or 2026-01-31T14:00.",
};

/** Pageviews, and the share with consent. */
export const CONSENT: Schema = { pageviews: PAGEVIEWS, consentShare: describe("consentShare", SHARE) };

/** Who arrives before a choice, and who consents. */
export const ACCEPTANCE: Schema = {
  newlyConsented: describe("newlyConsented", COUNT),
  arrivalsBeforeChoice: describe("arrivalsBeforeChoice", COUNT),
  acceptance: describe("acceptance", RATIO),
};

/** Counts of a span of time. */
export const SPAN: Schema = {
  start: { type: "string", format: "date-time" },
  end: { type: "string", format: "date-time", description: "What happened then isn't counted." },
  ...CONSENT,
  visitors: describe("visitors", COUNT),
  users: describe("users", COUNT),
  sessions: describe("sessions", COUNT),
  landings: describe("landings", COUNT),
  viewsPerSession: describe("viewsPerSession", RATIO),
  bounceRate: describe("bounceRate", SHARE),
  instantSessions: describe("instantSessions", COUNT),
};

/** Mean engagement of views. */
const ENGAGEMENT: Schema = {
  engagedMsPerView: describe("engagedMsPerView", {
    ...RATIO,
    description: "In milliseconds; null where none was recorded.",
  }),
};

/** Counts of a page, or of several. */
export const PAGE_SUMS: Schema = {
  views: PAGEVIEWS,
  entries: describe("entries", COUNT),
  exits: describe("exits", COUNT),
  consentShare: SHARE,
  bounceRate: describe("bounceRate", SHARE),
  exitRate: describe("exitRate", RATIO),
  ...ENGAGEMENT,
};

/** Rows of pages. */
export const PAGE_ROWS: Schema = listOf(objectOf({ path: TEXT, visitors: COUNT, ...PAGE_SUMS }));

/** Figures of a goal for the sessions of a row. */
const CONVERSION: Schema = {
  ...objectOf({
    sessions: COUNT,
    conversions: describe("conversions", COUNT),
    conversionRate: SHARE,
    value: { type: ["number", "null"], description: "Null for a goal without a value." },
  }, { exitsWithout: { ...COUNT, description: "Of pages alone: exits of sessions that don't reach the goal." } }),
  description: "Sessions of the row, and those that reach the goal; present with goal.",
};

/** Pages, beside the period before. */
export const LISTED_PAGES: Schema = listedBeside({ path: TEXT }, { visitors: COUNT, ...PAGE_SUMS });

/** Counts of a source, or of several. */
export const SOURCE_SUMS: Schema = {
  views: PAGEVIEWS,
  sessions: describe("sources", COUNT),
  landings: describe("landings", COUNT),
  bounceRate: describe("bounceRate", SHARE),
};

/** Rows of sources. */
export const SOURCE_ROWS: Schema = listOf(objectOf({ label: LABEL, visitors: COUNT, ...SOURCE_SUMS }));

/** Sources, beside the period before. */
export const LISTED_SOURCES: Schema = listedBeside({ label: LABEL }, { visitors: COUNT, ...SOURCE_SUMS });

/** Rows of steps. */
export const STEP_ROWS: Schema = listOf(objectOf({ name: TEXT, count: COUNT, visitors: COUNT }));

/** Worth of the steps of a row. */
export const GOAL_VALUE: Schema = {
  goalValue: {
    type: "number",
    description:
      "What the steps are worth by the first goal of the key that any step of the name reaches; absent where none says it.",
  },
};

/** Steps, beside the period before. */
export const LISTED_STEPS: Schema = listedBeside({ name: TEXT }, { count: COUNT, visitors: COUNT }, GOAL_VALUE);

/** Builds the schemas of a list whose rows stand beside the period before. */
export function listedBeside(name: Schema, counts: Schema, optional: Schema = {}): Schema {
  const { visitors: _, ...sums } = counts;
  const before = {
    oneOf: [objectOf(counts), { type: "null" }],
    description: "The same in the period before; null where it has nothing there.",
  };
  return {
    rows: listOf(objectOf({ ...name, ...counts, before }, { conversion: CONVERSION, ...optional })),
    count: COUNT,
    other: otherOf(sums),
  };
}

/** Builds the schema of what rows leave out. */
export function otherOf(sums: Schema): Schema {
  return {
    oneOf: [objectOf(sums), { type: "null" }],
    description:
      "Sums of what the rows leave out, but for visitors, who don't add up; null where they leave out nothing.",
  };
}

/** Builds the schema of a view of a site and its days. */
export function viewOf(name: string, required: Schema, optional: Schema = {}): Schema {
  return objectOf({ view: { const: name }, ...SCOPE, ...required }, { ...DAMAGED, ...optional });
}

/** Builds the schema of an object. Nothing else is answered: a test holds answers to it. */
export function objectOf(required: Schema, optional: Schema = {}): Schema {
  return {
    type: "object",
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

/** Builds the schema of a list. */
export function listOf(items: Schema): Schema {
  return { type: "array", items };
}

/** Names a schema of the OpenAPI document. */
export function schemaOf(name: string): Schema {
  return { $ref: `#/$defs/${name}` };
}

/** Schemas that several views name, by their names in the OpenAPI document. */
export const SHARED_SCHEMAS: Readonly<Record<string, Schema>> = {
  PageviewCounts: objectOf({
    full: { ...COUNT, description: "With consent." },
    aggregate: { ...COUNT, description: "Before consent." },
  }),
  ReportFilter: objectOf({ name: { enum: FILTER_NAMES }, values: listOf(TEXT) }, { key: TEXT, step: TEXT }),
  ReportPeriod: objectOf({
    ...PERIOD,
    ...SPAN,
    medianSessionMs: describe("medianSessionMs", RATIO),
    ...ENGAGEMENT,
  }),
  ReportPart: objectOf({ from: PART_FROM, ...SPAN }),
};
