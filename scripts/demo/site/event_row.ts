/**
 * From a row of the feed to what stands on the page.
 *
 * @module
 */
import { type FeedRow, shortId, urlPath } from "../feed_row.ts";
import { el } from "./dom.ts";

/** What the page itself adds to the feed: a call that consent held back, or a change of consent. */
export interface OwnRow {
  /** Discriminant. */
  readonly kind: "held" | "consent";
  /** When it was: ISO 8601, UTC. */
  readonly at: string;
  /** The call. */
  readonly what: string;
  /** Why it was held back, or what it changed. */
  readonly why: string;
}

/** A row of the feed as the page shows it. */
export type ShownRow = FeedRow | OwnRow;

/** The parts of a row as text. */
export interface RowText {
  /** What the row is coloured and counted by. */
  readonly kind: "full" | "aggregate" | "duplicate" | "refused" | OwnRow["kind"];
  /** Event name, or what happened. */
  readonly name: string;
  /** Path of the page. */
  readonly page?: string;
  /** The user. */
  readonly user?: string;
  /** What else is to say. */
  readonly rest: string;
  /** What was stored or refused, as JSON. */
  readonly json?: string;
}

/** Puts a row into words. */
export function describeRow(row: ShownRow): RowText {
  if ("what" in row) return { kind: row.kind, name: row.what, rest: row.why };
  const json = JSON.stringify(row.kind === "accepted" ? row.event : row, null, 2);
  if (row.kind === "refused") return { kind: "refused", name: `${row.status} ${row.code}`, rest: row.message, json };
  if (row.kind === "duplicates") {
    return { kind: "duplicate", name: `${row.count} × known already`, rest: "acknowledged, not stored again", json };
  }
  const { collection, name, identity, sessionId, context } = row.event;
  const event = { kind: collection, name, page: urlPath(context?.pageUrl ?? ""), json };
  if (collection === "aggregate") return { ...event, rest: "no visitor, no session" };
  const visitor = `visitor ${shortId(identity?.anonymousId ?? "none")}`;
  return {
    ...event,
    user: identity?.userId ?? "anonymous",
    rest: `${visitor} · session ${shortId(sessionId ?? "none")}`,
  };
}

/** Builds the list item of a row, which opens to its JSON; `isFresh` marks it as just arrived. */
export function buildRow({ kind, name, page, user, rest, json }: RowText, at: string, isFresh: boolean): HTMLLIElement {
  const time = new Date(at).toLocaleTimeString("en-GB");
  const who = [el("b", { text: user ?? "" }), el("span", { text: rest })];
  const lines = [
    el("span", {
      class: "event__line",
      children: [
        el("span", { class: "badge", text: kind === "held" ? "held back" : kind }),
        el("span", { class: "event__name", text: name }),
        el("span", { class: "event__page", text: page ?? "" }),
        el("time", { text: time, attributes: { datetime: at } }),
      ],
    }),
    el("span", { class: "event__who", children: json === undefined ? who : [...who, el("i", { text: "JSON" })] }),
  ];
  const item = el("li", { class: "event", attributes: { "data-kind": kind } });
  if (isFresh) item.dataset.fresh = "";
  if (json === undefined) item.append(el("div", { class: "event__head", children: lines }));
  else {
    const raw = el("pre", { text: json, attributes: { tabindex: "0", role: "region", "aria-label": "Raw JSON" } });
    item.append(el("details", { children: [el("summary", { class: "event__head", children: lines }), raw] }));
  }
  return item;
}
