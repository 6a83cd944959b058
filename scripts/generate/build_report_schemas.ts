/**
 * The schemas of what `/reports` answers in JSON.
 *
 * @module
 */
import { SCREEN_CLASSES, SOURCE_GROUPINGS, TRAFFICS } from "../../src/ingest/ports/reader.ts";
import { COMPARISONS, FILTER_NAMES, SOURCES_OF, VIEWS } from "../../src/ingest/reports/views/view_query.ts";
import { ORDERS, UNITS, WITHINS } from "../../src/ingest/reports/query/stages.ts";

/** A piece of the document. */
type Part = Readonly<Record<string, unknown>>;

const COUNT: Part = { type: "integer", minimum: 0 };

const TEXT: Part = { type: "string" };

const DAY: Part = { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\d$", description: "A day of the zone." };

const SHARE: Part = {
  type: ["number", "null"],
  minimum: 0,
  maximum: 1,
  description: "A share, 0 to 1; null where there is nothing to take it of.",
};

const RATIO: Part = { type: ["number", "null"], minimum: 0, description: "Null where there is nothing to divide by." };

const LABEL: Part = { type: ["string", "null"], description: "Null for those without one." };

const NOTES: Part = listOf(object({ day: DAY, text: TEXT }, { site: TEXT }));

const PAGEVIEWS = schemaOf("PageviewCounts");

const PERIOD: Part = { from: DAY, to: DAY };

const SCOPE: Part = {
  site: { ...TEXT, description: "Origin of the site." },
  ...PERIOD,
  zone: { ...TEXT, description: "Time zone of the days, by its IANA name." },
  traffic: { enum: TRAFFICS, description: "Whose events: of people, of crawlers, or of own visits." },
  filters: listOf(schemaOf("ReportFilter")),
  counted: {
    type: "number",
    minimum: 0,
    maximum: 1,
    description: "Share of what is stored that is counted; 1 but for a while after an upgrade.",
  },
};

const COMPARE: Part = { compare: { enum: COMPARISONS } };

const UNIT: Part = { enum: ["hour", "day", "week"], description: "How long the parts are." };

const PART_FROM: Part = {
  type: "string",
  description: "When the part begins on the clocks of the zone: a day, or 2026-01-31T14:00.",
};

const CONSENT: Part = { pageviews: PAGEVIEWS, consentShare: SHARE };

const ACCEPTANCE: Part = {
  newlyConsented: { ...COUNT, description: "Visitors whose first event in all that is kept is in the span." },
  arrivalsBeforeChoice: COUNT,
  acceptance: { ...RATIO, description: "About how many of the arrivals consent; above 1 it estimates nothing." },
};

const SPAN: Part = {
  start: { type: "string", format: "date-time" },
  end: { type: "string", format: "date-time", description: "What happened then isn't counted." },
  ...CONSENT,
  visitors: COUNT,
  users: COUNT,
  sessions: { ...COUNT, description: "Sessions that began in it." },
  landings: { ...COUNT, description: "Sessions that began with an arrival; the others were joined midway." },
  viewsPerSession: RATIO,
  bounceRate: SHARE,
  instantSessions: { ...COUNT, description: "Sessions that have nothing but pageviews of one moment." },
};

const PAGE_SUMS: Part = {
  views: PAGEVIEWS,
  ...{ entries: COUNT, exits: COUNT, consentShare: SHARE, bounceRate: SHARE },
  engagedMsPerView: { ...RATIO, description: "Mean engagement of a view; null where none was recorded." },
};

const PAGE_ROWS = listOf(object({ path: TEXT, visitors: COUNT, ...PAGE_SUMS }));

const SOURCE_SUMS: Part = { views: PAGEVIEWS, ...{ sessions: COUNT, landings: COUNT, bounceRate: SHARE } };

const SOURCE_ROWS = listOf(object({ label: LABEL, visitors: COUNT, ...SOURCE_SUMS }));

const STEP_ROWS = listOf(object({ name: TEXT, count: COUNT, visitors: COUNT }));

/** Builds the schema of what rows leave out. */
function otherOf(sums: Part): Part {
  return {
    oneOf: [object(sums), { type: "null" }],
    description:
      "Sums of what the rows leave out, but for visitors, who don't add up; null where they leave out nothing.",
  };
}

const SITE_COUNTS: Part = { visitors: COUNT, sessions: COUNT, ...CONSENT };

/** Builds the schemas of the views, by name. */
export function buildReportSchemas(): Part {
  const { site, counted, ...days } = SCOPE;
  const numbers = object({ count: COUNT, sum: number(), median: number(), p90: number() });
  const value = object({ value: { type: ["string", "number", "boolean", "null"] }, count: COUNT, visitors: COUNT });
  return {
    PageviewCounts: object({
      full: { ...COUNT, description: "With consent." },
      aggregate: { ...COUNT, description: "Before consent." },
    }),
    ReportFilter: object({ name: { enum: FILTER_NAMES }, values: listOf(TEXT) }, { key: TEXT, step: TEXT }),
    ReportPeriod: object({
      ...PERIOD,
      ...SPAN,
      medianSessionMs: { ...RATIO, description: "Of the sessions with two events or more; null without one." },
    }),
    ReportPart: object({ from: PART_FROM, ...SPAN }),
    OverviewView: view("overview", {
      ...COMPARE,
      current: schemaOf("ReportPeriod"),
      before: schemaOf("ReportPeriod"),
      unit: UNIT,
      parts: listOf(schemaOf("ReportPart")),
      partsBefore: listOf(schemaOf("ReportPart")),
      notes: NOTES,
      flagged: object({ bots: PAGEVIEWS, own: PAGEVIEWS }),
      allowance: object({ month: TEXT, used: COUNT, limit: { type: ["number", "null"] } }),
    }),
    PagesView: view("pages", {
      rows: PAGE_ROWS,
      count: COUNT,
      other: otherOf(PAGE_SUMS),
    }),
    SourcesView: view("sources", {
      by: { enum: SOURCE_GROUPINGS },
      of: { enum: SOURCES_OF, description: "Whose source sessions are listed under." },
      rows: SOURCE_ROWS,
      count: COUNT,
      other: otherOf(SOURCE_SUMS),
    }),
    StepsView: view("steps", {
      rows: STEP_ROWS,
      count: COUNT,
      other: otherOf({ count: COUNT }),
      violations: listOf(object({ name: TEXT, kind: { enum: ["unknown", "missing", "invalid"] }, count: COUNT })),
      violationCount: COUNT,
      targets: listOf(object({
        step: { enum: ["$outbound", "$download", "$form"] },
        key: { enum: ["url", "form", "path"] },
        rows: listOf(value),
        count: COUNT,
        other: otherOf({ count: COUNT }),
      })),
    }, {
      values: object({
        step: TEXT,
        unit: UNIT,
        parts: listOf(object({ from: PART_FROM, count: COUNT, visitors: COUNT })),
        notes: NOTES,
        keys: listOf(TEXT),
        key: LABEL,
        rows: listOf(value),
        count: COUNT,
        other: otherOf({ count: COUNT }),
        numbers: { oneOf: [numbers, { type: "null" }] },
      }),
    }),
    GoalsView: view("goals", {
      ...COMPARE,
      current: object({ ...PERIOD, visitors: COUNT }),
      before: object({ ...PERIOD, visitors: COUNT }),
      rows: listOf(object({
        name: TEXT,
        event: { ...TEXT, description: "What reaches it, as a stage of a funnel is written." },
        current: schemaOf("GoalCounts"),
        before: schemaOf("GoalCounts"),
      })),
    }),
    GoalCounts: object({
      visitors: COUNT,
      completions: COUNT,
      conversionRate: { ...SHARE, description: "Of the visitors; null without any." },
      value: {
        type: ["number", "null"],
        description: "What the completions are worth; null for a goal without value.",
      },
    }),
    FunnelView: view("funnel", {
      within: { enum: WITHINS },
      order: { enum: ORDERS },
      stages: listOf(object({
        stage: { ...TEXT, description: "As in the query." },
        visitors: COUNT,
        share: { ...SHARE, description: "Of those who passed the first stage; null without any." },
        medianMs: {
          ...RATIO,
          description: "Since the stage before; null for the first, and where nobody came that far.",
        },
      })),
    }),
    RetentionView: view("retention", {
      unit: { enum: UNITS },
      cohorts: listOf(object({ from: DAY, size: COUNT, returned: listOf(COUNT) })),
      isRunning: { type: "boolean", description: "Whether the last period isn't over." },
    }, { event: TEXT }),
    ConsentView: view("consent", {
      ...COMPARE,
      current: object({
        ...PERIOD,
        ...CONSENT,
        ...ACCEPTANCE,
        arrivals: PAGEVIEWS,
        ...{ viewsPerArrival: RATIO, viewsPerSession: RATIO },
      }),
      before: object({ ...PERIOD, ...CONSENT, ...ACCEPTANCE }),
      unit: UNIT,
      parts: listOf(object({ from: PART_FROM, ...CONSENT, ...ACCEPTANCE })),
      notes: NOTES,
      pages: listOf(object({ label: LABEL, ...CONSENT })),
      pageCount: COUNT,
      referrers: listOf(object({ label: LABEL, ...CONSENT })),
      referrerCount: COUNT,
    }),
    LiveView: view("live", {
      visitorsNow: { ...COUNT, description: "Visitors of the last 5 minutes." },
      current: object(SPAN),
      parts: listOf(schemaOf("ReportPart")),
      pages: PAGE_ROWS,
      by: { enum: SOURCE_GROUPINGS },
      sources: SOURCE_ROWS,
      steps: STEP_ROWS,
    }),
    SitesView: object({
      view: { const: "sites" },
      ...days,
      counted,
      ...COMPARE,
      rows: listOf(object({ site, ...SITE_COUNTS, before: object(SITE_COUNTS) })),
      count: { ...COUNT, description: "Sites of the key; rows has 50 of them at most." },
    }),
    PersonView: object({
      view: { const: "person" },
      site,
      counted,
      of: { oneOf: [object({ anonymousId: TEXT }), object({ userId: TEXT })] },
      events: listOf({
        type: "object",
        required: ["id", "name", "collection", "timestamp", "receivedAt"],
        description: "An event as it is stored.",
      }),
      eraseCommand: { ...TEXT, description: "Erases what is stored of them under the key." },
    }),
  };
}

/** Builds the operation that answers with a view. */
export function buildGetReport(): Part {
  const views = VIEWS.filter((name) => name !== "person")
    .map((name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}View`);
  return {
    operationId: "getReport",
    summary: "Answers with a view of a site's report",
    security: [{ reportSecret: [] }, { reportSecretBearer: [] }],
    parameters: [
      query(
        "view",
        { enum: VIEWS, default: VIEWS[0] },
        "The view. That of a person is asked for with POST; a GET has the page with its form.",
      ),
      query("site", TEXT, "Origin of a registered site; the one with the most events by default."),
      query("from", DAY, "First day; so that there are 30 days by default."),
      query("to", DAY, "Last day, included; today by default."),
      query("zone", { ...TEXT, default: "UTC" }, "Time zone of the days, by its IANA name."),
      query(
        "compare",
        { enum: COMPARISONS, default: COMPARISONS[0] },
        "What stands beside: as many days before, the same weekdays of the weeks before, or those 364 days before.",
      ),
      query(
        "traffic",
        { enum: TRAFFICS, default: TRAFFICS[0] },
        "Whose events: of people, of crawlers, or of own visits.",
      ),
      {
        ...query(
          "filter",
          listOf(TEXT),
          `A name, a colon and a value, repeated for more; several values of a name are
alternatives. Names: ${FILTER_NAMES.join(", ")}. A property is property:tier:"pro", its value as JSON, or
property@signup:tier:"pro" of one step; screen is one of ${
            SCREEN_CLASSES.join(", ")
          }; signedIn is yes or no; goal is the name of
one.`,
        ),
        style: "form",
        explode: true,
      },
      query("by", { enum: SOURCE_GROUPINGS, default: SOURCE_GROUPINGS[0] }, "What sources are grouped by."),
      query(
        "of",
        { enum: SOURCES_OF, default: SOURCES_OF[0] },
        "Whose source sessions are listed under, with the view sources: their own, or that of their visitor's first session.",
      ),
      query("step", TEXT, "Name of the steps whose values are listed, with the view steps."),
      query("key", TEXT, "Property of the step; the most frequent one by default."),
      {
        ...query(
          "stage",
          listOf(TEXT),
          `A stage of a funnel, repeated 2 to 8 times: page:/cart, page:/teas/*, step:signup, step:signup:tier:"pro" or goal:Order, with |
between alternatives.`,
        ),
        style: "form",
        explode: true,
      },
      query("within", { enum: WITHINS, default: WITHINS[0] }, "In which time the last stage has to follow the first."),
      query("order", { enum: ORDERS, default: ORDERS[0] }, "How stages follow each other."),
      query("unit", { enum: UNITS, default: UNITS[0] }, "Periods of retention; weeks begin on Monday."),
      query(
        "event",
        TEXT,
        "What counts as a return with the view retention, written as a stage; any event by default.",
      ),
      query("format", { enum: ["html", "json", "csv"], default: "html" }, "Form of the answer."),
      query("bom", { enum: ["1"] }, "Begins CSV with a byte order mark, which Excel needs."),
    ],
    responses: buildResponses({ oneOf: views.map(schemaOf) }, REFUSALS),
  };
}

/** Builds the operation that answers with the events of a person. */
export function buildPostReport(): Part {
  const ids = (["anonymousId", "userId"] as const).map((name) => object({ [name]: { ...TEXT, minLength: 1 } }));
  return {
    operationId: "getPerson",
    summary: "Answers with the newest events of a visitor or a user on a site",
    security: [{ reportSecret: [] }, { reportSecretBearer: [] }],
    parameters: [
      { ...query("view", { const: "person" }, "The view."), required: true },
      query("site", TEXT, "Origin of a registered site; the one with the most events by default."),
      query("zone", { ...TEXT, default: "UTC" }, "Time zone of the times on the page, by its IANA name."),
      query("format", { enum: ["html", "json", "csv"], default: "html" }, "Form of the answer."),
      query("bom", { enum: ["1"] }, "Begins CSV with a byte order mark, which Excel needs."),
    ],
    requestBody: {
      required: true,
      description: "Whose events: either field, in 16,384 bytes at most.",
      content: { "application/x-www-form-urlencoded": { schema: { oneOf: ids } } },
    },
    responses: buildResponses(schemaOf("PersonView"), [
      ...REFUSALS,
      ["413", "The body is too large."],
      ["415", "The body isn't a form."],
    ]),
  };
}

function buildResponses(json: Part, refusals: typeof REFUSALS): Part {
  return {
    "200": {
      description: "The view.",
      content: {
        "application/json": { schema: json },
        "text/csv": { schema: TEXT },
        "text/html": { schema: TEXT },
      },
    },
    ...Object.fromEntries(refusals.map(([status, description]) => [status, refusal(description)])),
  };
}

const REFUSALS: readonly (readonly [status: string, description: string])[] = [
  ["400", "A parameter is wrong; the message says which."],
  ["401", "The secret is missing or wrong."],
  ["403", "The secret doesn't open what single people did."],
  ["404", "The site isn't registered for the key."],
  ["429", "Too many wrong secrets came from this address."],
  ["503", "The store can't be read at the moment."],
];

function refusal(description: string): Part {
  return { description, content: { "application/json": { schema: schemaOf("Error") } } };
}

function query(name: string, schema: Part, description: string): Part {
  return { name, in: "query", required: false, description: description.replaceAll("\n", " "), schema };
}

function view(name: string, required: Part, optional: Part = {}): Part {
  return object({ view: { const: name }, ...SCOPE, ...required }, optional);
}

/** Nothing else is answered: a test holds answers to it. */
function object(required: Part, optional: Part = {}): Part {
  return {
    type: "object",
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

function listOf(items: Part): Part {
  return { type: "array", items };
}

function number(): Part {
  return { type: "number" };
}

function schemaOf(name: string): Part {
  return { $ref: `#/$defs/${name}` };
}
