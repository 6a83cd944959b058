import { type Html, html } from "./html.ts";

/** Explains the bars of views with consent. */
export const KEY_FULL: Html = buildKey("full", "With consent");

/** Explains the bars of views before consent. */
export const KEY_AGGREGATE: Html = buildKey("aggregate", "Before consent");

/** Explains the colours of bars. */
export const LEGEND: Html = html`<p class="legend">${KEY_FULL}${KEY_AGGREGATE}</p>`;

function buildKey(kind: "full" | "aggregate", label: string): Html {
  return html`<span><svg width="12" height="12" aria-hidden="true"><rect class="${kind}" width="12" height="12" rx="3"/></svg> ${label}</span>`;
}
