/**
 * One person's events, visit by visit.
 *
 * @module
 */
import { replaceControls, writeSafeJson } from "../../../events/foreign_text.ts";
import { createPathWriter } from "../../../events/path_rules.ts";
import type { EventFlag, StoredEvent } from "../../../events/stored_event.ts";
import { createVisitReader, ENGAGED_KEY, PAGEVIEW_ID, type VisitFacts } from "../../../events/visit_facts.ts";
import { type ReportFilter, TRAFFIC_FLAGS, TRAFFICS } from "../../../ports/report_query.ts";
import { type Html, html } from "../../page/html.ts";
import { buildFilterLink } from "../../page/links.ts";
import { buildRowLink } from "../../page/list.ts";
import type { Page } from "../../page/page.ts";
import { formatCountOf, formatDuration, formatLabel, formatPath } from "../../page/words.ts";
import { formatWeekday } from "../../query/days.ts";
import { formatClock, formatTime, toZoneDay } from "../../query/zones.ts";

/** An event, and what is read of it. */
interface ReadEvent {
  readonly event: StoredEvent;
  readonly facts: VisitFacts;
  /** Path of its page, as the report lists it. */
  readonly path: string;
}

const FLAG_WORDS: Readonly<Record<EventFlag, string>> = { bot: "bot, left out", own: "own visit, left out" };

/** Builds a body of the table for each visit, the one with the newest event first. */
export function buildVisits(page: Page, events: readonly StoredEvent[]): readonly Html[] {
  const read = createVisitReader();
  const writePath = createPathWriter(page.pathRules);
  const visits = new Map<string, ReadEvent[]>();
  for (const event of events) {
    const facts = read(event);
    // What a backend sends is of no visit: it stands by its day.
    const visit = facts.session || toZoneDay(page.query.zone, facts.time);
    visits.set(visit, [...visits.get(visit) ?? [], { event, facts, path: writePath(facts.path) }]);
  }
  return [...visits.values()].map((ofVisit) => buildVisit(page, ofVisit));
}

function buildVisit(page: Page, events: readonly ReadEvent[]): Html {
  const { zone } = page.query;
  const [last] = events;
  const first = events.at(-1);
  if (first === undefined || last === undefined) return html``;
  const day = toZoneDay(zone, first.facts.time);
  const { session } = first.facts;
  const parts = [
    session === ""
      ? "from a backend"
      : `${formatCountOf(events.length, "event")} in ${formatDuration(last.facts.time - first.facts.time)}`,
    ...listClasses(first.event),
  ];
  return html`<tbody><tr class="visit"><th scope="rowgroup" colspan="4"><b>${formatWeekday(day)}${
    session !== "" && `, ${formatClock(zone, first.facts.time)}`
  }</b> <span class="note">${parts.map(formatLabel).join(" · ")}</span></th></tr>${
    events.map((event) => buildEvent(page, event, day))
  }</tbody>`;
}

/** Lists what somebody came with; a version names its browser. */
function listClasses({ dimensions = {} }: StoredEvent): readonly string[] {
  const { browser, version, ...others } = dimensions;
  const named = version ?? browser;
  return [...(named === undefined ? [] : [named]), ...Object.values(others)];
}

function buildEvent(page: Page, { event: { properties }, facts, path }: ReadEvent, dayOfVisit: string): Html {
  const { kind, name, time, flag } = facts;
  const { zone } = page.query;
  const day = toZoneDay(zone, time);
  const traffic = TRAFFICS.find((one) => TRAFFIC_FLAGS[one] === flag) ?? page.query.traffic;
  const link = (filter: ReportFilter): string =>
    buildFilterLink({ ...page, query: { ...page.query, from: day, to: day, traffic, filters: [] } }, filter);
  const ofPage = link({ name: "page", values: [path] });
  const word = kind === "pageview"
    ? html`Pageview`
    : buildRowLink(link({ name: "step", values: [name] }), formatLabel(name));
  return html`
    <tr>
      <th scope="row">${day !== dayOfVisit && `${formatWeekday(day)}, `}${formatTime(zone, time)}</th>
      <td><span class="label">${word}</span>${flag !== "" &&
        html`<span class="note"> ${FLAG_WORDS[flag]}</span>`}</td>
      <td>${path === ""
        ? "–"
        : html`<span class="label">${buildRowLink(ofPage, formatLabel(formatPath(path)))}</span>`}</td>
      <td>${buildProperties(properties ?? {})}</td>
    </tr>
  `;
}

/** Builds properties in words: `plan free · total 26.15`. */
function buildProperties(properties: NonNullable<StoredEvent["properties"]>): Html | string {
  const told = Object.entries(properties).filter(([key]) => key !== PAGEVIEW_ID);
  if (told.length === 0) return "–";
  const parts = told.map(([key, value], index) =>
    html`${index > 0 && " · "}<span class="note"><bdi>${formatLabel(key)}</bdi></span> <bdi>${
      formatValue(key, value)
    }</bdi>`
  );
  return html`<span class="label">${parts}</span>`;
}

function formatValue(key: string, value: unknown): string {
  if (key === ENGAGED_KEY && typeof value === "number") return formatDuration(value);
  if (typeof value === "string") return formatLabel(value);
  return typeof value === "object" && value !== null ? replaceControls(writeSafeJson(value)) : String(value);
}
