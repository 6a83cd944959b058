/**
 * From a row of the feed to what stands on the page.
 *
 * @module
 */
import { type AcceptedRow, type FeedRow, shortId, urlPath } from "../feed_row.ts";
import { el } from "./dom.ts";

/** Kind by which a row is coloured and counted. */
export type RowKind = "full" | "aggregate" | "duplicate" | "refused";

/** Returns the kind of a row. */
export function rowKind(row: FeedRow): RowKind {
  return row.kind === "accepted" ? row.event.collection : row.kind === "refused" ? "refused" : "duplicate";
}

/** Builds the list item of a row, which opens to its raw JSON; `isFresh` marks it as just arrived. */
export function buildRow(row: FeedRow, isFresh: boolean): HTMLLIElement {
  const item = el("li", { class: "event", attributes: { "data-kind": rowKind(row) } });
  if (isFresh) item.dataset.fresh = "";
  const summary = el("summary", {
    children: [
      el("span", { class: "event__line", children: [badge(row), name(row), page(row), time(row)] }),
      el("span", { class: "event__who", children: [...who(row), el("span", { class: "event__more", text: "JSON" })] }),
    ],
  });
  item.append(el("details", { children: [summary, raw(row)] }));
  return item;
}

/** Says in one sentence what a row is, for the announcement of a screen reader. */
export function describeRow(row: FeedRow): string {
  if (row.kind === "duplicates") return `${row.count} known already, not stored again`;
  if (row.kind === "refused") return `Refused with ${row.status}: ${row.message}`;
  const { name, collection, identity } = row.event;
  if (collection === "aggregate") return `Aggregate ${name} of ${path(row)}`;
  return `Full ${name} by ${identity?.userId ?? "an anonymous visitor"} on ${path(row)}`;
}

function badge(row: FeedRow): HTMLElement {
  return el("span", { class: "badge", text: rowKind(row) });
}

function name(row: FeedRow): HTMLElement {
  const text = row.kind === "accepted"
    ? row.event.name
    : row.kind === "refused"
    ? `${row.status} ${row.code}`
    : `${row.count} × known already`;
  return el("span", { class: "event__name", text });
}

function page(row: FeedRow): HTMLElement {
  return el("span", { class: "event__page", text: row.kind === "accepted" ? path(row) : "" });
}

function time(row: FeedRow): HTMLElement {
  return el("time", { text: new Date(row.at).toLocaleTimeString("en-GB"), attributes: { datetime: row.at } });
}

function who(row: FeedRow): HTMLElement[] {
  if (row.kind === "accepted") return acceptedParts(row);
  return [
    el("span", { class: "quiet", text: row.kind === "refused" ? row.message : "acknowledged, not stored again" }),
  ];
}

function acceptedParts(row: AcceptedRow): HTMLElement[] {
  const { identity, sessionId, collection } = row.event;
  if (collection === "aggregate") {
    return [
      el("span", { class: "quiet", text: "no visitor, no session" }),
    ];
  }
  const visitor = identity?.anonymousId === undefined ? "no visitor ID" : shortId(identity.anonymousId);
  return [
    el("span", { text: identity?.userId ?? "anonymous" }),
    el("span", { class: "quiet", text: `visitor ${visitor}` }),
    el("span", { class: "quiet", text: `session ${sessionId === undefined ? "none" : shortId(sessionId)}` }),
  ];
}

function path(row: AcceptedRow): string {
  return urlPath(row.event.context?.pageUrl ?? "");
}

function raw(row: FeedRow): HTMLElement {
  return el("pre", {
    text: JSON.stringify(row.kind === "accepted" ? row.event : row, null, 2),
    attributes: { tabindex: "0", role: "region", "aria-label": "Raw JSON" },
  });
}
