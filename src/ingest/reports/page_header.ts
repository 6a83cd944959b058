import { addDays, countDays, formatRange } from "./days.ts";
import { type Html, html } from "./html.ts";
import { buildLink, formatOrigin, type View } from "./view.ts";

const PRESETS = [
  { days: 7, label: "7 days" },
  { days: 30, label: "30 days" },
  { days: 90, label: "90 days" },
  { days: 365, label: "12 months" },
] as const;

/** Builds the top of the page: the site, its days, and the choice of others. */
export function buildHeader(view: View): Html {
  const { site, from, to, path } = view;
  return html`
    <header>
      <p class="kicker">Reports</p>
      <h1><bdi>${formatOrigin(site)}</bdi></h1>
      <p class="range">${formatRange(from, to)}<span class="note"> · days in UTC</span></p>
      <form method="get" aria-label="Site and days">
    ${buildSiteField(view)}
    <label>From <input type="date" name="from" value="${from}" required></label>
    <label>To <input type="date" name="to" value="${to}" required></label>
    ${path !== undefined && html`<input type="hidden" name="path" value="${path}">`}
    <button type="submit">Show</button>
      </form>
      <nav aria-label="Ranges">
        <ul class="presets">
    ${PRESETS.map((preset) => buildPreset(preset, view))}
    ${buildStep("Earlier", view, -countDays(from, to))}
    ${to < view.today && buildStep("Later", view, countDays(from, to))}
        </ul>
      </nav>
    </header>
  `;
}

function buildSiteField({ site, sites }: View): Html {
  if (sites.length < 2) return html`<input type="hidden" name="site" value="${site}">`;
  const options = sites.map((one) =>
    html`
      <option value="${one}" ${one === site && html`
        selected
      `}>${one}</option>
    `
  );
  return html`<label class="site">Site <select name="site">${options}</select></label>`;
}

function buildPreset({ days, label }: typeof PRESETS[number], view: View): Html {
  const range = { from: addDays(view.today, 1 - days), to: view.today };
  const isCurrent = range.from === view.from && range.to === view.to;
  return buildRangeLink(view, { label, isCurrent, ...range });
}

function buildStep(label: string, view: View, days: number): Html {
  return buildRangeLink(view, { label, isCurrent: false, from: addDays(view.from, days), to: addDays(view.to, days) });
}

interface RangeLink {
  readonly label: string;
  readonly isCurrent: boolean;
  readonly from: string;
  readonly to: string;
}

function buildRangeLink(view: View, { label, isCurrent, from, to }: RangeLink): Html {
  const link = buildLink(view, { from, to, ...(view.path !== undefined && { path: view.path }) });
  return html`<li><a href="${link}"${
    isCurrent && html`
      aria-current="true"
    `
  }>${label}</a></li>`;
}
