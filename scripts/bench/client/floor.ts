/**
 * The least that such an SDK can do, in the browser: it queues events, sends them in batches with the key in a header,
 * one request at a time, and what fits into one request when the page goes. It tries again after a failure, counts
 * pageviews, and knows no consent; nothing is copied, checked or stored.
 *
 * @module
 */
interface FloorEvent {
  readonly [name: string]: unknown;
}

const queue: FloorEvent[] = [];
let endpoint = "";
let sessionId = "";
let batchSize = Infinity;
let timer: ReturnType<typeof setTimeout> | undefined;
let isSending = false;
let failures = 0;

/** Starts it, with a pageview. */
export function init(url: string, eventsPerRequest: number): void {
  endpoint = `${url}/floor`;
  batchSize = eventsPerRequest;
  sessionId = crypto.randomUUID();
  addEventListener("pagehide", leave);
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && leave());
  const { pushState } = history;
  history.pushState = function (...args) {
    pushState.apply(this, args);
    countPage();
  };
  addEventListener("popstate", countPage);
  countPage();
}

/** Records an event. */
export function track(name: string, properties: unknown): void {
  queue.push({ id: crypto.randomUUID(), sessionId, name, time: Date.now(), properties });
  plan(queue.length >= batchSize ? 0 : 1000);
}

function countPage(): void {
  track("pageview", { url: location.href, title: document.title, referrer: document.referrer });
}

function plan(delayMs: number): void {
  timer ??= setTimeout(flush, delayMs);
}

async function flush(): Promise<void> {
  timer = undefined;
  if (isSending) return;
  isSending = true;
  const events = queue.slice(0, batchSize);
  const isStored = await post(events, false).then(({ ok }) => ok, () => false);
  isSending = false;
  if (isStored) queue.splice(0, events.length);
  failures = isStored ? 0 : failures + 1;
  if (queue.length) plan(failures && 500 * 2 ** Math.min(failures, 6));
}

async function post(events: readonly FloorEvent[], keepalive: boolean): Promise<Response> {
  const headers = { "Content-Type": "application/json", "X-API-Key": "bench" };
  const body = JSON.stringify({ events });
  const response = await fetch(endpoint, { method: "POST", headers, body, keepalive, credentials: "omit" });
  await response.text();
  return response;
}

function leave(): void {
  let bytes = 0;
  const events = queue.splice(0).filter((event) => (bytes += JSON.stringify(event).length + 1) < 60_000);
  if (events.length) void post(events, true);
}
