/**
 * Meanings of the reports' figures, in words and in SQL. The page, the guides, the OpenAPI document and the queries
 * take them from here: no other place says what a visit, a bounce or a source is.
 *
 * @module
 */
import { ENGAGED_MS } from "./visit_facts.ts";

/** A figure. Code stands in backticks. */
export interface Figure {
  /** Its name for people. */
  readonly title: string;
  /** Its meaning: for those who know no code as well. */
  readonly sentence: string;
  /** A remark for the guide, in Markdown. */
  readonly more?: string;
  /** Its SQL, of an event or of a session; only where queries need more than a column. */
  readonly sql?: string;
}

/** Names of figures that have a line of SQL. */
type DefinedName =
  | "moment"
  | "visitors"
  | "sessions"
  | "instantSessions"
  | "landings"
  | "bounceRate"
  | "sources"
  | "ownSteps"
  | "stepVisitor"
  | "stepSession";

/** Names of figures: those of their fields in JSON, where a field has one. */
export type FigureName =
  | "pageviews"
  | "consentShare"
  | "visitors"
  | "users"
  | "sessions"
  | "instantSessions"
  | "landings"
  | "viewsPerSession"
  | "bounceRate"
  | "medianSessionMs"
  | "flagged"
  | "entries"
  | "exits"
  | "exitRate"
  | "engagedMsPerView"
  | "sources"
  | "sourceViews"
  | "first"
  | "channels"
  | "steps"
  | "values"
  | "targets"
  | "completions"
  | "conversions"
  | "conversionRate"
  | "value"
  | "visitorsNow"
  | "sites"
  | "arrivalsBeforeChoice"
  | "viewsPerArrival"
  | "newlyConsented"
  | "acceptance"
  | "violations"
  | "allowance"
  | DefinedName;

type Figures = Readonly<Record<FigureName, Figure>> & Readonly<Record<DefinedName, Required<Pick<Figure, "sql">>>>;

/**
 * Units of the parts of a moment, which is one number: engines compare tuples ten times slower. The last 64 bits are
 * the hash of the ID, 7 the place in the batch, 54 the time.
 */
const [PLACE_UNIT, TIME_UNIT, RANK_UNIT] = [64n, 71n, 125n].map((bits) => `toInt128('${2n ** bits}')`);

/** Each figure, in the order of the guide. */
export const FIGURES: Figures = {
  pageviews: {
    title: "Pageviews",
    sentence:
      "Views of both kinds: with consent a view belongs to a visitor and a session, before consent it is counted " +
      "without either, and tells no source but the site that it came from.",
  },
  consentShare: { title: "With consent", sentence: "The share of the pageviews that are with consent." },
  visitors: {
    title: "Visitors",
    sentence:
      "People with consent, each counted once in the whole range, by the `anonymousId` in their browser: a second " +
      "browser is a second visitor.",
    more:
      "They count, and come back, only by an event of a page, which has a session. Those of two days or pages don't add " +
      "up, and whoever calls `reset()` is a new one.",
    sql: "visitor_hash <> 0 AND session_hash <> 0",
  },
  users: {
    title: "Users signed in",
    sentence: "People whom the site named with `identify()` in an event of the range, each counted once.",
  },
  sessions: {
    title: "Sessions",
    sentence:
      "Sessions with consent that began in the range, each with all its events. One ends after 30 minutes without an " +
      "event, and after a day.",
    sql: "is_full AND session_hash <> 0",
  },
  instantSessions: {
    title: "Sessions of 0 s",
    sentence: "Sessions that have nothing but pageviews of one millisecond: they show no sign of life.",
    sql: "start = finish AND views = events",
  },
  landings: {
    title: "Landings",
    sentence: "Sessions that began with a pageview that came from elsewhere. The others were joined midway.",
    more: "Somebody consented on a later page, or after the view before consent had left.",
    sql: "argMin(is_arrival, moment)",
  },
  viewsPerSession: {
    title: "Views per session",
    sentence: "The pageviews of the landings, divided by the landings.",
  },
  bounceRate: {
    title: "Bounce rate",
    sentence:
      "The share of the landings that saw one page, did nothing that the site records with `step()`, and had less " +
      "than 10 seconds of engagement, which `auto()` measures. That of a page is of the sessions that landed on it.",
    sql: `is_landing AND views = 1 AND steps = 0 AND engaged < ${ENGAGED_MS}`,
  },
  medianSessionMs: {
    title: "Session length",
    sentence:
      "From the first event to the last: half of the sessions are longer, and half shorter. A session with a single " +
      "event has none.",
  },
  flagged: {
    title: "Bots, own visits",
    sentence: "Pageviews of crawlers, and of the site's own people, whatever the filters. No other figure has them.",
    more: "See [bots and own visits](#people-bots-and-own-visits).",
  },
  entries: { title: "Landings of a page", sentence: "Landings that began with it." },
  exits: { title: "Exits of a page", sentence: "Sessions whose last pageview it is." },
  exitRate: {
    title: "Exit rate of a page",
    sentence: "Its exits, divided by its views with consent; none where there are more exits than views.",
    more:
      "Exits are those of sessions that began in the range, with all their events; views are those of the range and " +
      "the filters.",
  },
  engagedMsPerView: {
    title: "Time per view",
    sentence: "All engagement with the pages, divided by their views with consent.",
    more: "[`auto()`](auto.md#engagement) measures it.",
  },
  sources: {
    title: "Sessions of a source",
    sentence:
      "Sessions that came from it: by the `utm_` fields of their first event that has one, else by the referrer of their " +
      "first event that came from elsewhere, which may have none. Of a landing page, its landings.",
    more:
      "A visitor's later sessions have sources of their own. A session that joined midway has no landing page, and, " +
      "unless an event of it tells one, no source; its channel is _Joined midway_. The " +
      "click ID of an ad (`gclid`, `gbraid`, `wbraid`, `msclkid`, `ttclid`, `twclid`, `li_fat_id`, `rdt_cid`, `yclid`) " +
      "stands for a `utm_source` of its network, and for the `utm_medium` _cpc_, where the URL has none. Tags are read in the query, else in the fragment, and listed in small letters; a referrer is one with and without `www.` or `m.`.",
    sql: `toInt128(source_rank) * ${RANK_UNIT} + moment`,
  },
  sourceViews: {
    title: "Arrivals of a source",
    sentence:
      "Pageviews that came from it themselves, with consent and before it. Of a landing page, its views that came from elsewhere.",
  },
  first: {
    title: "Of the visitor's first",
    sentence:
      "A session, and a view with consent, stands under the source, or the landing page, of the first session of " +
      "its visitor in all that is kept.",
    more: "Under the filter of a goal, that is what first brought those who reached it. Views before consent have no " +
      "visitor and are left out, and a session without a visitor keeps its own source. Filters mean the session's, so " +
      "that these rows lead to none.",
  },
  channels: {
    title: "Channels",
    sentence: "Groups of sources, such as Search or Email.",
    more:
      "[channels.ts](../src/ingest/events/channels.ts) has their table. The key's other origins, and hosts that people " +
      "pay or sign in at and come back from, are no sources: `ignoredReferrers` of the key adds some. _Other_ are sources beyond the 10,000 with the most events " +
      "in the range, or, of the visitor's first, in all that is kept. Two sources differ by referrer, `utm_source` or " +
      "`utm_medium`, or because one has a campaign. Of sources with as many events, those that come first in the order of " +
      "these texts are kept.",
  },
  steps: {
    title: "Steps",
    sentence: "Events other than pageviews: what the site records with `step()`, and what `auto()` records.",
  },
  ownSteps: {
    title: "The site's own steps",
    sentence: "Those whose names don't begin with `$`. A session with one is no bounce.",
    sql: "NOT is_view AND NOT startsWith(name, '$')",
  },
  values: {
    title: "Values of a step",
    sentence: 'Those of one of its properties: text, number, boolean or null. `1` and `"1"` are two.',
    more: "The sum, the median and the 90th percentile are of all steps that have a number.",
  },
  targets: {
    title: "Links, downloads, forms",
    sentence: "The steps `$outbound`, `$download` and `$form` of `auto()` by their target.",
    more: "Forms are listed by their path if none has a name.",
  },
  completions: {
    title: "Times a goal is reached",
    sentence: "The steps, or the views with consent, that reach it.",
  },
  conversions: {
    title: "Conversions of a row",
    sentence:
      "Beside a goal that is chosen: the sessions of the row that reach it. Their share of the sessions is the row's " +
      "conversion rate, and what these are worth its value.",
  },
  conversionRate: {
    title: "Conversion rate of a goal",
    sentence: "The share of all visitors who reached it, under the same filters.",
  },
  value: {
    title: "Value of a goal",
    sentence:
      "What all times that it was reached are worth together. A step without a number in the property adds nothing.",
  },
  visitorsNow: {
    title: "Visitors now",
    sentence: "Visitors with an event in the last 5 minutes. The others of the view are of the last 30.",
  },
  sites: {
    title: "All sites",
    sentence:
      "The sites of the key, of which at most 50 stand beside each other, those with the most events. Whoever " +
      "visits two of them counts on each.",
  },
  arrivalsBeforeChoice: {
    title: "Arrivals before a choice",
    sentence: "Pageviews that came from elsewhere, before consent or, with it, as a visitor's first event.",
  },
  viewsPerArrival: {
    title: "Views per arrival",
    sentence: "All views before consent, divided by those of them that came from elsewhere.",
  },
  newlyConsented: {
    title: "Newly consented",
    sentence:
      "Visitors whose first event in all that is kept is in the range, and in the filters. Each `reset()`, as for " +
      "a sign-out, begins a new one.",
  },
  acceptance: {
    title: "Acceptance",
    sentence:
      "About how many arrivals before a choice consent: the newly consented, divided by them. Above 1 it estimates " +
      "nothing.",
    more: "The page shows none above 1, or without views before consent.",
  },
  violations: {
    title: "Off the plan",
    sentence: "Events that break the plan, by name and kind.",
    more: "See [the plan](typed.md#in-the-ingest).",
  },
  allowance: {
    title: "Allowance used",
    sentence: "Pageviews of the current month by the time of arrival, of all sites of the key, those of bots and own " +
      "visits among them.",
  },
  moment: {
    title: "Order of events",
    sentence:
      "By time, then by their places in their batches, which the SDK fills in order, then by a hash of their IDs.",
    sql: `toInt128(time) * ${TIME_UNIT} + toInt128(place) * ${PLACE_UNIT} + id_order`,
  },
  stepVisitor: {
    title: "Visitor of a backend's step",
    sentence:
      "A backend's step that names a user and no visitor is of the visitor of that user's first event that has one, in " +
      "all that is kept of the key.",
    more: "It is new or returning as that visitor is; of somebody whom no page has seen, neither.",
    sql: "argMin(visitor_hash, moment)",
  },
  stepSession: {
    title: "Session of a backend's step",
    sentence:
      "Under filters of sessions, such as a source, a backend's step belongs to the session in which its visitor came last " +
      "before it.",
    sql: "argMax(session_hash, first_moment)",
  },
};
