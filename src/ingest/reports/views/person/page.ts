import { replaceControls } from "../../../events/foreign_text.ts";
import { createPathWriter } from "../../../events/path_rules.ts";
import type { EventFlag, StoredEvent } from "../../../events/stored_event.ts";
import { createVisitReader, type VisitFacts } from "../../../events/visit_facts.ts";
import { type ReportFilter, TRAFFIC_FLAGS, TRAFFICS } from "../../../ports/report_query.ts";
import { type Html, html } from "../../page/html.ts";
import { buildFilterLink, buildLink } from "../../page/links.ts";
import { buildRowLink } from "../../page/list.ts";
import type { Page } from "../../page/page.ts";
import { formatCountOf, formatLabel, formatPath } from "../../page/words.ts";
import { formatDay } from "../../query/days.ts";
import type { PersonId } from "../../access/person.ts";
import type { Format } from "../../query/query.ts";
import { formatClock, toZoneDay } from "../../query/zones.ts";
import type { PersonForm, PersonView } from "./object.ts";

/** Most events of a person on the page. */
export const PAGE_EVENTS = 200;

const FIELDS = [
  { name: "anonymousId", label: "Visitor ID (anonymousId)" },
  { name: "userId", label: "User ID (userId of identify())" },
] as const;

/** Builds the form that asks for somebody, and their events. */
export function buildPerson(page: Page, view: PersonView | PersonForm): Html {
  const isWrong = view.of === null && page.isWrong;
  const form = html`
    <section class="card">
      <h2>${view.of === null ? "One visitor or user" : "Another visitor or user"}</h2>
      <p
        class="caption">Their newest events on this site, of all days and without filters. A user's ID is the one that your application has. A visitor's ID is in their browser: in <code>localStorage</code>, or in a cookie, under <code>vendor.sdk.visitor</code>.</p>
      ${isWrong
        ? html`<p role="alert"><b>Fill in one of the two.</b></p>`
        : html`<p class="caption">Fill in one of the two. The ID goes into no address.</p>`}
      <form method="post" action="${buildLink(page)}" aria-label="Visitor or user">
    ${FIELDS.map(({ name, label }) =>
      html`<label>${label} <input name="${name}" maxlength="2000" autocomplete="off" autocapitalize="none" spellcheck="false"></label>`
    )}
        <button type="submit">Show</button>
      </form>
    </section>
  `;
  if (view.of === null) return form;
  const { of, events, eraseCommand } = view;
  const [kind, id] = "userId" in of ? ["User", of.userId] : ["Visitor", of.anonymousId];
  return html`
    <section class="card">
      <h2>${kind} <bdi>${formatLabel(id)}</bdi></h2>
      ${events.length === 0
        ? html`
          <p
            class="note">No event of theirs is stored for this site. The id is what the site gives to <code>identify()</code>, or the <code>anonymousId</code> of an event: capitals and blanks count.</p>
        `
        : html`${buildEvents(page, events)}${buildFiles(page, of)}`}
    </section>
    ${events.length > 0 && buildErase(of, eraseCommand)}${form}
  `;
}

function buildErase(of: PersonId, command: string): Html {
  return html`
    <section class="card">
      <h2>Erase them</h2>
      <p
        class="caption">This erases what is stored of them under the key, of all its sites. Name the store with <code>--sink</code>.${"userId" in
            of && html`
          With <code>--with-visitors</code>, what they did before they signed in goes too.
        `}</p>
      <pre class="command"><code>${replaceControls(command)}</code></pre>
    </section>
  `;
}

function buildEvents(page: Page, events: readonly StoredEvent[]): Html {
  const read = createVisitReader();
  const writePath = createPathWriter(page.pathRules);
  const rows = events.map((event) => {
    const facts = read(event);
    return buildEvent(page, { event, facts, path: writePath(facts.path) });
  });
  return html`
    <p class="caption">${events.length < PAGE_EVENTS
      ? formatCountOf(events.length, "event")
      : `The newest ${events.length} events`}, the newest first. An event and its page lead to the overview of that day.</p>
    <div class="scroll" tabindex="0" role="group" aria-label="Events">
      <table class="wide texts">
        <caption class="unseen">Events</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Event</th>
            <th scope="col">Page</th>
            <th scope="col">Properties</th>
          </tr>
        </thead>
        <tbody>${rows}</tbody>
      </table>
    </div>
  `;
}

const FLAG_WORDS: Readonly<Record<EventFlag, string>> = { bot: "bot, left out", own: "own visit, left out" };

interface EventRow {
  readonly event: StoredEvent;
  readonly facts: VisitFacts;
  /** Path of its page, as the report lists it. */
  readonly path: string;
}

function buildEvent(page: Page, { event: { properties }, facts: { kind, name, time, flag }, path }: EventRow): Html {
  const { zone } = page.query;
  const day = toZoneDay(zone, time);
  const traffic = TRAFFICS.find((one) => TRAFFIC_FLAGS[one] === flag) ?? page.query.traffic;
  const link = (filter: ReportFilter): string =>
    buildFilterLink({ ...page, query: { ...page.query, from: day, to: day, traffic, filters: [] } }, filter);
  const ofPage = link({ name: "page", values: [path] });
  const [ofEvent, word] = kind === "pageview"
    ? [ofPage, "Pageview"]
    : [link({ name: "step", values: [name] }), formatLabel(name)];
  return html`
    <tr>
      <th scope="row">${formatDay(day)}, ${formatClock(zone, time)}</th>
      <td><span class="label">${buildRowLink(ofEvent, word)}</span>${flag !== "" &&
        html`<span class="note"> ${FLAG_WORDS[flag]}</span>`}</td>
      <td><span class="label">${buildRowLink(ofPage, formatLabel(formatPath(path)))}</span></td>
      <td>${properties === undefined
        ? "–"
        : html`<span class="label"><bdi>${replaceControls(JSON.stringify(properties))}</bdi></span>`}</td>
    </tr>
  `;
}

/** The files are asked for as the page is: by a POST that has the id. */
function buildFiles(page: Page, of: PersonId): Html {
  return html`
    <form method="post" action="${buildLink(page)}" aria-label="Files of their events">
    ${Object.entries(of).map(([name, id]) => html`<input type="hidden" name="${name}" value="${id}">`)}
    <ul class="presets">${(["csv", "json"] as const satisfies readonly Format[]).map((format) =>
      html`<li><button type="submit" formaction="${buildLink(page, { format })}">person.${format}</button></li>`
    )}</ul>
    </form>
  `;
}
