import { type Html, html } from "./html.ts";
import { buildLink } from "./links.ts";
import type { Page } from "./page.ts";

/** What the figures mean, for those who know no code. */
const DEFINITIONS: Html = html`
  <details>
    <summary>What these figures mean</summary>
    <dl class="definitions">
      <dt>Pageviews</dt>
      <dd>Views of both kinds. <b>With consent</b> a view belongs to a visitor and a session; <b>before consent</b> it is counted without either, and tells no source but the site it came from.</dd>
      <dt>Visitors</dt>
      <dd>People with consent, each counted once in the whole range: by an ID in their browser, so that a second browser is a second visitor.</dd>
      <dt>Sessions</dt>
      <dd>Visits with consent. One ends after 30 minutes without an event, and after a day.</dd>
      <dt>Bounce rate</dt>
      <dd>Of the sessions that came to a page from elsewhere, the share that saw one page, did nothing that your site records with <code>step()</code>, and had less than 10 seconds of engagement, which <code>auto()</code> measures. A page's rate is that of the sessions that came to it.</dd>
      <dt>Session length</dt>
      <dd>From the first to the last event, half of the sessions longer and half shorter. A session with a single event has none.</dd>
      <dt>Steps and goals</dt>
      <dd>Steps are what your site records beside pageviews. A goal's conversion rate is the share of all visitors who reached it.</dd>
      <dt>Users signed in</dt>
      <dd>Users whom your site named in an event of these days.</dd>
    </dl>
  </details>
`;

/** Builds the bottom of the page: files, and what the figures mean. */
export function buildFooter(page: Page): Html {
  const { section } = page;
  const isOfPerson = section.subject === "person";
  const files = (["csv", "json"] as const).map((format) =>
    html`<li><a href="${buildLink(page, { format })}" download>${section.name}.${format}</a></li>`
  );
  return html`
    <footer>
      ${!isOfPerson && html`
        <nav aria-label="Files">
          <ul class="presets">${files}</ul>
        </nav>
      `}
      ${!isOfPerson && DEFINITIONS}
      <p>Days are those of ${page.query.zone.name}, by the visitor's clock unless that is wrong.${!isOfPerson &&
        html`
          A visitor counts once in the whole range and once in each of its parts and pages, so that visitors of two of them don't add up. A session counts where it began.
        `}</p>
    </footer>
  `;
}
