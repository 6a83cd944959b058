/**
 * The live feed: server-sent events in, rows on the page out.
 *
 * @module
 */
import type { FeedRow } from "../feed_row.ts";
import { byId } from "./dom.ts";
import { buildRow, describeRow, type RowKind, rowKind } from "./event_row.ts";

const MAX_ROWS = 200;
const ANNOUNCE_DELAY_MS = 900;

/** Opens the feed of the site's server; the browser reconnects by itself. */
export function openFeed(): void {
  const list = byId("feed-rows", HTMLOListElement);
  const counts = new Map<RowKind, number>();
  const announce = createAnnouncer();

  function showCounts(): void {
    const count = (kind: RowKind): number => counts.get(kind) ?? 0;
    byId("feed-empty", HTMLElement).hidden = list.childElementCount > 0;
    byId("feed-counts", HTMLElement).textContent = `${count("full")} full · ${count("aggregate")} aggregate · ${
      count("duplicate")
    } repeated · ${count("refused")} refused`;
    byId("tab-count", HTMLElement).textContent = String(list.childElementCount);
  }

  const source = new EventSource("/_demo/feed");
  source.addEventListener("row", (message) => {
    const { isReplay, row }: { isReplay: boolean; row: FeedRow } = JSON.parse(message.data);
    list.prepend(buildRow(row, !isReplay));
    while (list.childElementCount > MAX_ROWS) list.lastElementChild?.remove();
    counts.set(rowKind(row), (counts.get(rowKind(row)) ?? 0) + 1);
    showCounts();
    if (!isReplay) announce(describeRow(row));
  });
  source.addEventListener("open", () => showState("live"));
  source.addEventListener("error", () => showState("lost"));
  byId("feed-clear", HTMLElement).addEventListener("click", () => {
    list.replaceChildren();
    counts.clear();
    showCounts();
  });
  showCounts();
}

function showState(state: "live" | "lost"): void {
  const element = byId("feed-state", HTMLElement);
  // Each attempt to reconnect fails anew; one announcement is enough.
  if (element.dataset.state === state) return;
  element.dataset.state = state;
  element.textContent = state === "live" ? "live" : "lost, is the demo still running?";
}

/** Speaks politely and not for each row: the last one of a burst, and how many came. */
function createAnnouncer(): (text: string) => void {
  const region = byId("feed-announcer", HTMLElement);
  let waiting = 0;
  let latest = "";
  return (text) => {
    latest = text;
    waiting += 1;
    if (waiting > 1) return;
    setTimeout(() => {
      region.textContent = waiting === 1 ? latest : `${waiting} new rows, the last one: ${latest}`;
      waiting = 0;
    }, ANNOUNCE_DELAY_MS);
  };
}
