/**
 * The live feed: server-sent events in, rows on the page out.
 *
 * @module
 */
import type { StoredEvent } from "@vendor/sdk/ingest";
import type { FeedRow } from "../feed_row.ts";
import { byId } from "./dom.ts";
import { buildRow, describeRow, type RowText, type ShownRow } from "./event_row.ts";

const MAX_ROWS = 200;
const ANNOUNCE_DELAY_MS = 900;
const COUNTED = { full: "full", aggregate: "aggregate", held: "held back", duplicate: "repeated", refused: "refused" };

/** Opens the feed of the site's server; the browser reconnects by itself. `onEvent` hears of each event accepted. */
export function openFeed(onEvent: (event: StoredEvent) => void): void {
  const announce = createAnnouncer();
  const source = new EventSource("/_demo/feed");
  source.addEventListener("row", (message) => {
    const { isReplay, row }: { isReplay: boolean; row: FeedRow } = JSON.parse(message.data);
    const text = showRow(row, !isReplay);
    if (row.kind === "accepted") onEvent(row.event);
    if (!isReplay) announce(text);
  });
  source.addEventListener("open", () => showState("live"));
  source.addEventListener("error", () => showState("lost"));
  byId("feed-clear", HTMLElement).addEventListener("click", () => {
    byId("feed-rows", HTMLElement).replaceChildren();
    showCounts();
  });
  showCounts();
}

/** Puts a row on top of the feed. */
export function showRow(row: ShownRow, isFresh = true): RowText {
  const list = byId("feed-rows", HTMLElement);
  const text = describeRow(row);
  list.prepend(buildRow(text, row.at, isFresh));
  while (list.childElementCount > MAX_ROWS) list.lastElementChild?.remove();
  showCounts();
  return text;
}

function showCounts(): void {
  const rows = byId("feed-rows", HTMLElement);
  byId("feed-empty", HTMLElement).hidden = rows.childElementCount > 0;
  byId("feed-counts", HTMLElement).textContent = Object.entries(COUNTED)
    .map(([kind, label]) => `${rows.querySelectorAll(`[data-kind="${kind}"]`).length} ${label}`).join(" · ");
  byId("tab-count", HTMLElement).textContent = String(rows.childElementCount);
}

function showState(state: "live" | "lost"): void {
  const element = byId("feed-state", HTMLElement);
  // Each attempt to reconnect fails anew; one announcement is enough.
  if (element.dataset.state === state) return;
  element.dataset.state = state;
  element.textContent = state === "live" ? "live" : "lost, is the demo still running?";
}

/** Says what arrived, not for each row: the last one of a burst, and how many came. */
function createAnnouncer(): (text: RowText) => void {
  const region = byId("arrived", HTMLElement);
  let waiting = 0;
  let latest = "";
  return ({ kind, name, page = "", user = "", rest }) => {
    latest = [kind, name, page, user || rest].filter((part) => part !== "").join(" ");
    waiting += 1;
    if (waiting > 1) return;
    setTimeout(() => {
      region.textContent = `Ingest: ${waiting === 1 ? "" : `${waiting} rows, last `}${latest}`;
      waiting = 0;
    }, ANNOUNCE_DELAY_MS);
  };
}
