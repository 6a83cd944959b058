import { type Html, html } from "./html.ts";
import type { AllowanceUse } from "./options.ts";
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
${allowance && buildAllowance(allowance)}
</dl>`;
}

function buildAllowance({ used, limit, period }: AllowanceUse): Html {
  const isOver = limit !== undefined && used > limit;
  return html`<div${
    isOver && html`
      class="over"
    `
  }><dt>Allowance used</dt>
<dd>${limit === undefined ? formatCount(used) : formatShare(used, limit)}</dd>
${limit !== undefined && buildMeter(used, limit)}
<dd class="note">${period}: ${formatCount(used)} ${
    limit === undefined ? "pageviews, no limit" : `of ${formatCount(limit)} pageviews`
  }${isOver && ", over the limit"}, all sites</dd></div>`;
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
