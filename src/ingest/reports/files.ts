/**
 * The rows of views as CSV (RFC 4180), safe to open in a spreadsheet.
 *
 * @module
 */
import { EXPORT_COLUMNS } from "../events/event_columns.ts";
import type { StoredEvent } from "../events/stored_event.ts";
import { findPart, type Note } from "./query/notes.ts";
import type {
  AnyView,
  ConsentView,
  FunnelView,
  GoalRow,
  OverviewView,
  PagesView,
  RetentionView,
  SiteCounts,
  SiteRow,
  SourcesView,
  StepsView,
} from "./views/views.ts";

/** A cell. Null is an empty one. */
export type Cell = string | number | null;

/** A line of names, and the rows. */
type Table = readonly (readonly Cell[])[];

/**
 * Where a spreadsheet would find a formula, full-width forms included: at the start of a text, and behind what some
 * split cells by. Where that is a semicolon, only the first quote of a row protects its text. Some leave out blanks and what
 * isn't seen before it. The character comes first, so that a long text of blanks is looked through once.
 */
const FORMULA = /[=+\-@\uff1d\uff0b\uff0d\uff20](?<=(?:^|[;\t\r\n])[\s\p{C}"]*.)/gu;

/** Name of the last row, where there are more than are listed. */
const OTHER = "Other";

/** Writes the rows of a view as CSV with a line of names: of the overview, of live and of consent, their parts. */
export function writeCsv(view: AnyView): string {
  return buildTable(view).map(formatRow).join("");
}

function buildTable(view: AnyView): Table {
  switch (view.view) {
    case "overview":
      return addNotes(buildParts(view), view);
    case "live":
      return buildParts(view);
    case "pages":
      return buildPages(view);
    case "sources":
      return buildSources(view);
    case "steps":
      return buildSteps(view);
    case "goals":
      return buildGoals(view.rows);
    case "funnel":
      return buildFunnel(view.stages);
    case "retention":
      return buildRetention(view.cohorts);
    case "consent":
      return addNotes(buildConsent(view.parts), view);
    case "sites":
      return buildSites(view.rows);
    case "person":
      return buildPerson(view.events);
  }
}

function buildParts({ parts }: Pick<OverviewView, "parts">): Table {
  const heads = [
    ...["from", "full", "aggregate", "consentShare", "visitors", "users", "sessions", "landings"],
    ...["viewsPerSession", "bounceRate"],
  ];
  return [
    heads,
    ...parts.map(({ from, pageviews: { full, aggregate }, consentShare, visitors, users, ...rest }) => [
      ...[from, full, aggregate, consentShare, visitors, users],
      ...[rest.sessions, rest.landings, rest.viewsPerSession, rest.bounceRate],
    ]),
  ];
}

/** Adds a column with the notes of each part, split by semicolons. */
function addNotes(
  [heads = [], ...rows]: Table,
  { parts, notes }: { readonly parts: readonly { readonly from: string }[]; readonly notes: readonly Note[] },
): Table {
  const textsOf = (index: number): string | null =>
    notes.filter(({ day }) => findPart(parts, day) === index).map(({ text }) => text).join("; ") || null;
  return [[...heads, "notes"], ...rows.map((row, index) => [...row, textsOf(index)])];
}

function buildGoals(rows: readonly GoalRow[]): Table {
  const counts = ["visitors", "completions", "conversionRate", "value"] as const;
  return [
    ["name", "event", ...counts, ...counts.map((count) => `${count}Before`)],
    ...rows.map(({ name, event, current, before }) => [
      ...[name, event],
      ...counts.map((count) => current[count]),
      ...counts.map((count) => before[count]),
    ]),
  ];
}

function buildFunnel(stages: FunnelView["stages"]): Table {
  return [
    ["stage", "visitors", "share", "medianMs"],
    ...stages.map(({ stage, visitors, share, medianMs }) => [stage, visitors, share, medianMs]),
  ];
}

/** A row a cohort and period, so that each has the same cells. */
function buildRetention(cohorts: RetentionView["cohorts"]): Table {
  return [
    ["from", "size", "period", "returned"],
    ...cohorts.flatMap(({ from, size, returned }) => returned.map((count, period) => [from, size, period, count])),
  ];
}

function buildConsent(parts: ConsentView["parts"]): Table {
  const rows = parts.map(({ from, pageviews: { full, aggregate }, consentShare, ...accepted }) => [
    ...[from, full, aggregate, consentShare],
    ...[accepted.newlyConsented, accepted.arrivalsBeforeChoice, accepted.acceptance],
  ]);
  const heads = ["newlyConsented", "arrivalsBeforeChoice", "acceptance"];
  return [["from", "full", "aggregate", "consentShare", ...heads], ...rows];
}

function buildSites(rows: readonly SiteRow[]): Table {
  const toCells = (
    { visitors, pageviews: { full, aggregate }, sessions, consentShare }: SiteCounts,
  ): readonly Cell[] => [
    ...[visitors, full, aggregate, sessions, consentShare],
  ];
  return [
    [
      ...["site", "visitors", "full", "aggregate", "sessions", "consentShare"],
      ...["visitorsBefore", "fullBefore", "aggregateBefore", "sessionsBefore", "consentShareBefore"],
    ],
    ...rows.map(({ site, before, ...current }) => [site, ...toCells(current), ...toCells(before)]),
  ];
}

/** The columns of an export. */
function buildPerson(events: readonly StoredEvent[]): Table {
  return [
    EXPORT_COLUMNS.map(({ name }) => name),
    ...events.map((event) => EXPORT_COLUMNS.map(({ read }) => toCell(read(event)))),
  ];
}

function buildPages({ rows, other }: PagesView): Table {
  const heads = [
    ...["path", "full", "aggregate", "consentShare", "visitors", "entries", "exits", "bounceRate"],
    "engagedMsPerView",
  ];
  return [
    heads,
    ...rows.map(({ path, views: { full, aggregate }, consentShare, visitors, entries, exits, ...rest }) => [
      ...[path, full, aggregate, consentShare, visitors],
      ...[entries, exits, rest.bounceRate, rest.engagedMsPerView],
    ]),
    ...(other === null ? [] : [[
      ...[OTHER, other.views.full, other.views.aggregate, other.consentShare, null],
      ...[other.entries, other.exits, other.bounceRate, other.engagedMsPerView],
    ]]),
  ];
}

function buildSources({ rows, other }: SourcesView): Table {
  return [
    ["label", "full", "aggregate", "sessions", "visitors", "landings", "bounceRate"],
    ...rows.map(({ label, views: { full, aggregate }, sessions, visitors, landings, bounceRate }) => [
      ...[label, full, aggregate, sessions, visitors],
      ...[landings, bounceRate],
    ]),
    ...(other === null ? [] : [[
      ...[OTHER, other.views.full, other.views.aggregate, other.sessions, null],
      ...[other.landings, other.bounceRate],
    ]]),
  ];
}

function buildSteps({ rows, other, values }: StepsView): Table {
  if (values === undefined) {
    return [
      ["name", "count", "visitors"],
      ...rows.map(({ name, count, visitors }) => [name, count, visitors]),
      ...(other === null ? [] : [[OTHER, other.count, null]]),
    ];
  }
  return [
    ["value", "type", "count", "visitors"],
    ...values.rows.map(({ value, count, visitors }) => [
      ...[typeof value === "number" ? value : String(value), value === null ? "null" : typeof value],
      ...[count, visitors],
    ]),
    ...(values.other === null ? [] : [[OTHER, "other", values.other.count, null]]),
  ];
}

/** Makes a cell of a value of an event; what is no text or number as JSON. */
export function toCell(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "number") return value;
  return JSON.stringify(value);
}

/** Writes a row. Text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, CSV injection). */
export function formatRow(cells: readonly Cell[]): string {
  return `${cells.map(formatCell).join(",")}\r\n`;
}

function formatCell(cell: Cell): string {
  if (typeof cell !== "string") return String(cell ?? "");
  return `"${cell.replace(FORMULA, "'$&").replaceAll('"', '""')}"`;
}
