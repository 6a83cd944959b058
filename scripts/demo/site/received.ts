/**
 * List of what the ingest received: server-sent events in, rows on the page out.
 *
 * @module
 */
import { type FeedRow, toCells } from "../../../src/ingest/server/demo/feed_row.ts";
import { byId, el } from "./dom.ts";

const MAX_ROWS = 200;

/** Opens the feed of the site's server; the browser reconnects by itself. */
export function openFeed(): void {
  const rows = byId("rows", HTMLElement);
  const state = byId("feed-state", HTMLElement);
  const source = new EventSource("/_demo/feed");
  const showCounts = (): void => {
    byId("empty", HTMLElement).hidden = rows.childElementCount > 0;
    byId("counts", HTMLElement).textContent = ["full", "aggregate", "duplicate", "refused"]
      .map((kind) => ({ kind, count: rows.querySelectorAll(`[data-kind="${kind}"]`).length }))
      .filter(({ count }) => count > 0).map(({ kind, count }) => `${count} ${kind}`).join(" · ");
  };
  const showState = (name: "live" | "lost", text: string): void => {
    // Each attempt to reconnect fails anew; one announcement is enough.
    if (state.dataset.state !== name) state.textContent = text;
    state.dataset.state = name;
  };
  source.addEventListener("open", () => {
    rows.replaceChildren(); // the stream begins with all of them
    showCounts();
    showState("live", "live");
  });
  source.addEventListener("error", () => showState("lost", "lost, is the demo still running?"));
  source.addEventListener("message", ({ data }) => {
    rows.prepend(buildRow(JSON.parse(data)));
    while (rows.childElementCount > MAX_ROWS) rows.lastElementChild?.remove();
    showCounts();
  });
}

/** Builds the list item of a row, which opens to its JSON. */
function buildRow(row: FeedRow): HTMLLIElement {
  const { kind, name, user, visitor, session, page } = toCells(row);
  const owners: Readonly<Record<string, string>> = {
    full: `${user} · visitor ${visitor} · session ${session}`,
    aggregate: "no visitor, no session",
    duplicate: "acknowledged, not stored again",
  };
  const time = new Date(row.at).toLocaleTimeString("en-GB");
  const line = [
    el("span", { class: "badge", text: kind }),
    el("b", { class: "row__name", text: name }),
    el("span", { class: "row__page", text: page }),
    el("span", { class: "row__owner", text: owners[kind] ?? "" }),
    el("time", { text: time, attributes: { datetime: row.at } }),
  ];
  const json = JSON.stringify(row.kind === "accepted" ? row.event : row, null, 2);
  const raw = el("pre", { text: json, attributes: { tabindex: "0", role: "region", "aria-label": `JSON of ${name}` } });
  const details = el("details", { children: [el("summary", { children: line }), raw] });
  return el("li", { attributes: { "data-kind": kind }, children: [details] });
}
