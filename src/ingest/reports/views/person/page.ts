import { replaceControls } from "../../../events/foreign_text.ts";
import type { StoredEvent } from "../../../events/stored_event.ts";
import { type Html, html } from "../../page/html.ts";
import { buildLink } from "../../page/links.ts";
import type { Page } from "../../page/page.ts";
import { formatCount, formatCountOf, formatLabel } from "../../page/words.ts";
import type { PersonId } from "../../access/person.ts";
import type { Format } from "../../query/query.ts";
import type { PersonForm, PersonView } from "./object.ts";
import type { PersonQuery } from "./query.ts";
import { buildVisits } from "./visits.ts";

/** Most events of a person on the page. */
export const PAGE_EVENTS = 200;

const FIELDS = [
  { name: "anonymousId", label: "Visitor ID (anonymousId)" },
  { name: "userId", label: "User ID (userId of identify())" },
] as const;

/** Says that an ID has no event; it may be one of the other field. */
const NOBODY = {
  anonymousId: "No visitor has this ID on this site; capitals and blanks count. A user's ID goes into the other field.",
  userId: "No user has this ID on this site; capitals and blanks count. A visitor's ID goes into the other field.",
} as const;

/** Builds the form that asks for somebody, and their events. */
export function buildPerson(page: Page<PersonQuery>, view: PersonView | PersonForm): Html {
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
      ${events.length === 0 && page.query.offset === 0
        ? html`<p class="note">${NOBODY["userId" in of ? "userId" : "anonymousId"]}</p>`
        : html`${buildEvents(page, events)}${buildPager(page, of, events)}${buildFiles(page, of)}${
          buildBrowsers(page, of, events)
        }`}
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

/** Says which events are shown. */
function describeShown({ length }: readonly StoredEvent[], offset: number): string {
  if (offset > 0) return `Events ${formatCount(offset + 1)} to ${formatCount(offset + length)}`;
  return length < PAGE_EVENTS ? formatCountOf(length, "event") : `The newest ${length} events`;
}

function buildEvents(page: Page<PersonQuery>, events: readonly StoredEvent[]): Html {
  if (events.length === 0) return html`<p class="note">There are no older events.</p>`;
  return html`
    <p
      class="caption">${describeShown(
        events,
        page.query.offset,
      )} of all days, visit by visit, the newest first. Steps and pages lead to the overview of that day.</p>
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
        ${buildVisits(page, events)}
      </table>
    </div>
  `;
}

/** Most browsers that a user's events lead to. */
const MAX_BROWSERS = 5;

/** Leads from a user to all that their browsers did, before they signed in as well: by a POST that has the ID. */
function buildBrowsers(page: Page, of: PersonId, events: readonly StoredEvent[]): Html | undefined {
  const ids = [...new Set(events.flatMap(({ identity }) => identity?.anonymousId ?? []))].slice(0, MAX_BROWSERS);
  if (!("userId" in of) || ids.length === 0) return undefined;
  return html`
    <p class="caption">What they did before they signed in is in the events of their browser:</p>
    ${ids.map((id) =>
      html`
        <form method="post" action="${buildLink(page)}" aria-label="Events of a browser">
          <input type="hidden" name="anonymousId" value="${id}">
          <button type="submit">Visitor <bdi>${formatLabel(id)}</bdi></button>
        </form>
      `
    )}
  `;
}

/** Leads to older events and to newer ones; undefined where all are shown. */
function buildPager(page: Page<PersonQuery>, of: PersonId, { length }: readonly StoredEvent[]): Html | undefined {
  const { offset } = page.query;
  const ways = [
    ...(offset > 0 ? [{ label: "Newer", to: Math.max(0, offset - PAGE_EVENTS) }] : []),
    ...(length === PAGE_EVENTS ? [{ label: "Older", to: offset + length }] : []),
  ];
  if (ways.length === 0) return undefined;
  return buildButtons(page, of, {
    name: "More events",
    buttons: ways.map(({ label, to }) => ({ label, link: buildLink(page, { offset: to }) })),
  });
}

function buildFiles(page: Page, of: PersonId): Html {
  return buildButtons(page, of, {
    name: "Files of their events",
    buttons: (["csv", "json"] as const satisfies readonly Format[]).map((format) => ({
      label: `person.${format}`,
      link: buildLink(page, { format }),
    })),
  });
}

interface Buttons {
  readonly name: string;
  readonly buttons: readonly { readonly label: string; readonly link: string }[];
}

/** Builds buttons that ask as the page does: by a POST that has the id. */
function buildButtons(page: Page, of: PersonId, { name, buttons }: Buttons): Html {
  return html`
    <form method="post" action="${buildLink(page)}" aria-label="${name}">
    ${Object.entries(of).map(([field, id]) => html`<input type="hidden" name="${field}" value="${id}">`)}
    <ul class="presets">${buttons.map(({ label, link }) =>
      html`<li><button type="submit" formaction="${link}">${label}</button></li>`
    )}</ul>
    </form>
  `;
}
