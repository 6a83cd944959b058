import { type Html, html } from "./html.ts";
import { formatMonth } from "./days.ts";
import type { AllowanceUse } from "./report.ts";
import { formatCount, formatShare, type View } from "./view.ts";

/** Builds the figures at the top. */
export function buildSummary({ report: { totals }, allowance }: View): Html {
  const { pageviews, sessions, events } = totals;
  return html`<dl class="figures">
<div><dt>Pageviews</dt><dd>${formatCount(pageviews.total)}</dd>
<dd class="note">${formatCount(pageviews.full)} full · ${formatCount(pageviews.aggregate)} aggregate</dd></div>
<div><dt>Sessions</dt><dd>${formatCount(sessions)}</dd>
<dd class="note">of visitors who consented</dd></div>
<div><dt>Events</dt><dd>${formatCount(events)}</dd>
<dd class="note">pageviews among them</dd></div>
${buildAllowance(allowance)}
</dl>`;
}

/** Builds the figures of a report without events: the allowance is the key's, and other sites may use it. */
export function buildAllowanceAlone({ allowance }: View): Html {
  return html`<dl class="figures">${buildAllowance(allowance)}</dl>`;
}

function buildAllowance({ used, limit, month }: AllowanceUse): Html {
  const name = `${formatMonth(`${month}-01`)} ${month.slice(0, 4)}`;
  if (limit === null) {
    return html`
      <div>
        <dt>Allowance used</dt>
        <dd>${formatCount(used)}</dd>
        <dd class="note">pageviews of all sites in ${name}, no limit</dd>
      </div>
    `;
  }
  const isOver = used > limit;
  return html`<div class="${isOver ? "over" : "within"}"><dt>Allowance used</dt><dd>${formatShare(used, limit)}</dd>
${buildMeter(used, limit)}
<dd class="note">${formatCount(used)} of ${formatCount(limit)} pageviews of all sites in ${name}${
    isOver && ", over the limit"
  }</dd></div>`;
}

function buildMeter(used: number, limit: number): Html {
  const percent = Math.min(100, limit === 0 ? 100 : used / limit * 100).toFixed(1);
  return html`
    <dd class="meter" aria-hidden="true">
      <svg width="100%" height="6">
        <rect class="track" width="100%" height="6" rx="3" />
        <rect class="full" width="${percent}%" height="6" rx="3" />
      </svg>
    </dd>
  `;
}
