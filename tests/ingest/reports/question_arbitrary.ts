/**
 * Questions about histories of visits.
 *
 * @module
 */
import fc from "fast-check";
import { NO_PATH_RULES, type PathRules } from "../../../src/ingest/events/path_rules.ts";
import { SCREEN_CLASSES } from "../../../src/ingest/events/visit_facts.ts";
import { AUDIENCE_DIMENSIONS } from "../../../src/ingest/ports/report_filters.ts";
import {
  type AudienceDimension,
  type CountedEvent,
  GOAL_COLUMNS,
  PAGE_COLUMNS,
  type PageColumn,
  type ReportReader,
  SOURCE_COLUMNS,
  type SourcesColumn,
  STEP_COLUMNS,
  type StepColumn,
  VALUE_COLUMNS,
  type ValueColumn,
} from "../../../src/ingest/ports/reader.ts";
import {
  type FilterName,
  type Funnel,
  type FunnelEvent,
  type ListChoice,
  type ReportFilter,
  type ReportQuery,
  SOURCE_DIMENSIONS,
  SOURCE_GROUPINGS,
  type SourceDimension,
  TRAFFICS,
} from "../../../src/ingest/ports/report_query.ts";
import {
  aKey,
  aStart,
  HOUR_MS,
  LATER_MS,
  MINUTE_MS,
  OFFSETS_MS,
  often,
  PAST_MS,
  PATTERNS,
  SITES,
  USERS,
  VISITORS,
} from "./visit_arbitrary.ts";

/** A question of every view. */
export interface Question {
  /** Place of the key. */
  readonly key: number;
  readonly query: Omit<ReportQuery, "apiKey">;
  readonly bounds: readonly number[];
  readonly sources: Parameters<ReportReader["sources"]>[1];
  readonly audience: AudienceDimension;
  readonly of: { readonly step: string; readonly key?: string; readonly sumOf?: string };
  readonly counted: readonly CountedEvent[];
  readonly funnel: Funnel;
  readonly retention: { readonly bounds: readonly number[]; readonly returns?: readonly FunnelEvent[] };
  readonly person: { readonly anonymousId: string } | { readonly userId: string };
  readonly rows: number;
  /** Names of rows. */
  readonly names: readonly string[];
  /** Which rows of pages, of sources, of steps and of values. */
  readonly choices: {
    readonly pages: ListChoice<PageColumn>;
    readonly sources: ListChoice<SourcesColumn>;
    readonly audience: ListChoice<SourcesColumn>;
    readonly steps: ListChoice<StepColumn>;
    readonly values: ListChoice<ValueColumn>;
  };
}

const OWN_ORIGINS = [...SITES, "https://own.example"];

const aBound: fc.Arbitrary<number> = fc.record({
  startMs: aStart,
  offsetMs: fc.constantFrom(...OFFSETS_MS, -1, 12 * HOUR_MS, 48 * HOUR_MS),
}).map(({ startMs, offsetMs }) => startMs + offsetMs);

const aRange: fc.Arbitrary<Pick<ReportQuery, "from" | "to">> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ from: PAST_MS, to: LATER_MS + 96 * HOUR_MS }) },
  { weight: 1, arbitrary: fc.constant({ from: PAST_MS, to: PAST_MS + 24 * HOUR_MS }) },
  { weight: 3, arbitrary: fc.tuple(aBound, aBound).map(toRange) },
);

function toRange([one, other]: readonly [number, number]): Pick<ReportQuery, "from" | "to"> {
  return { from: Math.min(one, other), to: Math.max(one, other) };
}

const somePathRules: fc.Arbitrary<PathRules> = fc.oneof(
  fc.constant(NO_PATH_RULES),
  fc.record({
    patterns: fc.uniqueArray(fc.constantFrom(...PATTERNS), { maxLength: 3 }),
    dropsTrailingSlash: fc.boolean(),
    ignoresCase: fc.boolean(),
  }),
);

const WRITTEN_PATHS = [
  ...often(6, "/"),
  ...often(4, "/teas"),
  "/teas/",
  "/caf%C3%A9",
  "/a%2Fb",
  "/a.b",
  "/teas/green-tea",
  ...PATTERNS,
] as const;

const LABELS: Readonly<Record<SourceDimension, readonly string[]>> = {
  channel: [
    "Direct or unknown",
    "Joined midway",
    "Search",
    "Paid search",
    "Paid social",
    "Email",
    "Other sites",
    "Other campaigns",
  ],
  source: ["", "news", "google", "https://google.com", "https://chatgpt.com", "ne\u00e4s\ufffd"],
  referrer: ["", "https://google.com", "https://search.example", "https://blog.example", "android-app://com.slack"],
  medium: ["", "email", "cpc", "paid-social"],
  campaign: ["", "spring sale", "c".repeat(512)],
  term: ["", "tea"],
  content: ["", "a/b"],
};

const STEP_NAMES = ["signup", "tea_chosen", "Order placed", "$click", "$engagement", "$pageview", "\ufffd"] as const;

const PROPERTY_KEYS = ["plan", "price", "1", "__proto__", "a/b", "key 49", "k".repeat(200), "engagedMs"] as const;

const JSON_VALUES = [
  ...[
    ...often(2, "pro"),
    ...often(2, "1"),
    ...often(2, 1),
    -1,
    -20,
    9,
    true,
    "true",
    null,
    "null",
    "a/b \"'\\",
    "v".repeat(200),
  ]
    .map((value) => JSON.stringify(value)),
  "{}",
];

function valuesOf(texts: readonly string[]): fc.Arbitrary<readonly string[]> {
  return fc.uniqueArray(fc.constantFrom(...texts), { minLength: 1, maxLength: 4 });
}

function filterOf(name: FilterName, texts: readonly string[]): fc.Arbitrary<ReportFilter> {
  return valuesOf(texts).map((values) => ({ name, values }));
}

function pageFilterOf(name: "page" | "entry" | "exit"): fc.Arbitrary<ReportFilter> {
  const patterns = fc.uniqueArray(fc.constantFrom(...PATTERNS), { maxLength: 2 });
  const paths = name === "entry" ? [...WRITTEN_PATHS, ...often(4, "")] : WRITTEN_PATHS;
  return fc.record({ name: fc.constant(name), values: valuesOf(paths), patterns });
}

const anEventFilter: fc.Arbitrary<ReportFilter> = fc.oneof(
  pageFilterOf("page"),
  filterOf("screen", SCREEN_CLASSES),
  filterOf("signedIn", ["yes", "no"]),
  filterOf("visitor", ["new", "returning"]),
  filterOf("browser", ["", "Chrome", "Firefox"]),
  filterOf("version", ["Chrome 142", "Firefox 145"]),
  filterOf("device", ["phone", "desktop", "tablet"]),
  filterOf("country", ["", "DE"]),
);

const FUNNEL_EVENTS: readonly FunnelEvent[] = [
  ...WRITTEN_PATHS.map((page) => ({ page })),
  ...PATTERNS.map((pages) => ({ pages })),
  ...STEP_NAMES.map((step) => ({ step })),
];

const aStepWith: fc.Arbitrary<FunnelEvent> = fc.record({
  step: fc.constantFrom(...often(3, "signup"), ...STEP_NAMES),
  property: fc.record({
    key: fc.constantFrom(...often(3, "plan"), ...PROPERTY_KEYS),
    value: fc.constantFrom(...JSON_VALUES),
  }),
});

const anEvent: fc.Arbitrary<FunnelEvent> = fc.oneof(fc.constantFrom(...FUNNEL_EVENTS), aStepWith);

const aFilter: fc.Arbitrary<ReportFilter> = fc.oneof(
  { weight: 3, arbitrary: anEventFilter },
  pageFilterOf("entry"),
  pageFilterOf("exit"),
  fc.constantFrom(...SOURCE_DIMENSIONS).chain((by) => filterOf(by, LABELS[by])),
  filterOf("step", STEP_NAMES),
  fc.record({
    name: fc.constant("property" as const),
    values: valuesOf(JSON_VALUES),
    key: fc.constantFrom(...often(3, "plan"), ...PROPERTY_KEYS),
    step: fc.constantFrom(...often(2, "signup"), ...STEP_NAMES),
  }, { requiredKeys: ["name", "values", "key"] }),
  fc.array(anEvent, { maxLength: 3 }).map((events) => ({ name: "goal" as const, values: ["a goal"], events })),
);

const aCounted: fc.Arbitrary<CountedEvent> = fc.record({
  event: anEvent,
  sumOf: fc.constantFrom(...often(3, "price"), ...PROPERTY_KEYS),
}, { requiredKeys: ["event"] });

const someCounted: fc.Arbitrary<readonly CountedEvent[]> = fc.array(aCounted, { maxLength: 4 });

const USUAL_GOAL: CountedEvent = { event: { step: "signup" }, sumOf: "price" };

/** Most stages have many events, so that ways go on and some events pass several stages. */
const aStage: fc.Arbitrary<readonly FunnelEvent[]> = fc.oneof(
  { weight: 4, arbitrary: fc.subarray([...FUNNEL_EVENTS], { minLength: 1 }) },
  { weight: 1, arbitrary: fc.array(aStepWith, { minLength: 1, maxLength: 8, size: "max" }) },
);

const aFunnel: fc.Arbitrary<Funnel> = fc.record({
  stages: fc.oneof(
    { weight: 4, arbitrary: fc.array(aStage, { minLength: 2, maxLength: 4, size: "max" }) },
    { weight: 1, arbitrary: fc.array(aStage, { minLength: 5, maxLength: 8, size: "max" }) },
  ),
  within: fc.constantFrom(
    ...often(4, "session"),
    ...[0, 1, 1_000, 9_999, 31 * MINUTE_MS, 11 * HOUR_MS, 24 * HOUR_MS, 720 * HOUR_MS],
  ),
  order: fc.constantFrom("sequential", "strict", "flexible"),
});

const aRetention: fc.Arbitrary<Question["retention"]> = fc.record({
  bounds: fc.oneof(
    {
      weight: 2,
      arbitrary: fc.constantFrom(0, 11, 24).map((hours) =>
        Array.from({ length: 5 }, (_, index) => PAST_MS + hours * HOUR_MS + index * 12 * HOUR_MS)
      ),
    },
    {
      weight: 1,
      arbitrary: fc.uniqueArray(aBound, { maxLength: 6 }).map((bounds) => bounds.sort((one, other) => one - other)),
    },
  ),
  returns: aStage,
}, { requiredKeys: ["bounds"] });

const aPerson: fc.Arbitrary<Question["person"]> = fc.oneof(
  fc.constantFrom(...VISITORS, "v-nobody").map((anonymousId) => ({ anonymousId })),
  fc.constantFrom(...USERS).map((userId) => ({ userId })),
);

function choiceOf<C extends string>(columns: readonly C[], names: readonly string[]): fc.Arbitrary<ListChoice<C>> {
  return fc.record({
    sort: fc.constantFrom(...columns),
    isAscending: fc.boolean(),
    contains: fc.constantFrom(...often(3, "e"), "TEA", "/", "caf\u00e9", ".*", "(", '"', "\\", "nothing has it"),
    names: fc.subarray([...new Set(names)]),
    skip: fc.constantFrom(...often(3, 0), 1, 2, 50),
    goal: aCounted,
  }, { requiredKeys: [] }).map(({ goal, ...choice }) => {
    // A goal goes with its columns, and they with it.
    if (GOAL_COLUMNS.some((column) => column === choice.sort)) return { ...choice, goal: goal ?? USUAL_GOAL };
    return choice;
  });
}

const LABELLED = SOURCE_DIMENSIONS.flatMap((by) => LABELS[by]);

/** Asks every view: of odd ranges, with up to three filters. */
export const aQuestion: fc.Arbitrary<Question> = fc.record({
  key: aKey,
  site: fc.constantFrom(...often(12, SITES[0]), ...SITES, "", "https://nobody.example"),
  traffic: fc.constantFrom(...often(6, "people"), ...TRAFFICS),
  range: aRange,
  filters: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: fc.tuple(aFilter) },
    { weight: 1, arbitrary: fc.tuple(anEventFilter, anEventFilter) },
    { weight: 1, arbitrary: fc.array(aFilter, { minLength: 2, maxLength: 3 }) },
  ),
  ownOrigins: fc.subarray(OWN_ORIGINS),
  pathRules: somePathRules,
  cuts: fc.uniqueArray(aBound, { maxLength: 4 }),
  sources: fc.record({ by: fc.constantFrom(...SOURCE_GROUPINGS), of: fc.constantFrom("session", "first") }),
  audience: fc.constantFrom(...AUDIENCE_DIMENSIONS),
  of: fc.record({
    step: fc.constantFrom(...often(2, "signup"), ...STEP_NAMES),
    key: fc.constantFrom(...often(3, "plan"), ...PROPERTY_KEYS),
    sumOf: fc.constantFrom(...often(3, "price"), ...PROPERTY_KEYS),
  }, {
    requiredKeys: ["step"],
  }),
  counted: someCounted,
  funnel: aFunnel,
  retention: aRetention,
  person: aPerson,
  rows: fc.constantFrom(1, 2, 1_000),
  names: fc.constant([
    ...new Set(["", "new", "yes", "phone", "Chrome", "DE", ...LABELLED, ...WRITTEN_PATHS, ...JSON_VALUES]),
  ]),
  choices: fc.record({
    pages: choiceOf(PAGE_COLUMNS, WRITTEN_PATHS),
    sources: choiceOf(SOURCE_COLUMNS, [...LABELLED, ...WRITTEN_PATHS]),
    audience: choiceOf(SOURCE_COLUMNS, ["", "new", "yes", "phone", "Chrome", "DE"]),
    steps: choiceOf(STEP_COLUMNS, STEP_NAMES),
    values: choiceOf(VALUE_COLUMNS, JSON_VALUES),
  }),
}).map(({ key, site, traffic, range, filters, ownOrigins, pathRules, cuts, ...rest }) => ({
  key,
  query: { site, traffic, ...range, filters, ownOrigins, pathRules },
  // The parts are parts of the range.
  bounds: cuts.filter((cut) => cut >= range.from && cut <= range.to).sort((one, other) => one - other),
  ...rest,
}));
