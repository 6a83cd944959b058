/**
 * The least that such an SDK can do, in the browser: a list in memory, a request with the key in a header for so many
 * events, one at a time, and what fits into one request when the page goes. It never retries, clones nothing, knows
 * no consent and takes nothing down.
 *
 * @module
 */

const FLUSH_MS = 1000;
const MAX_EXIT_BYTES = 60_000;

interface FloorEvent {
  readonly id: string;
  readonly name: string;
  readonly time: number;
  readonly properties: unknown;
}

const queue: FloorEvent[] = [];
let endpoint = "";
let batchSize = Infinity;
let timer: ReturnType<typeof setTimeout> | undefined;
let isSending = false;

/** Starts it, with a pageview. */
export function init(url: string, eventsPerRequest: number): void {
  batchSize = eventsPerRequest;
  endpoint = `${url}/floor`;
  addEventListener("pagehide", leave);
  track("pageview", { url: location.href, title: document.title, referrer: document.referrer });
}

/** Records an event. */
export function track(name: string, properties: unknown): void {
  queue.push({ id: crypto.randomUUID(), name, time: Date.now(), properties });
  if (queue.length >= batchSize) plan(0);
  else plan(FLUSH_MS);
}

function plan(delayMs: number): void {
  timer ??= setTimeout(flush, delayMs);
}

async function flush(): Promise<void> {
  timer = undefined;
  if (isSending || !queue.length) return;
  isSending = true;
  await post(queue.splice(0, batchSize), false);
  isSending = false;
  if (queue.length) plan(0);
}

async function post(events: readonly FloorEvent[], keepalive: boolean): Promise<void> {
  const response = await fetch(endpoint, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-API-Key": "bench" },
    body: JSON.stringify({ events }),
    credentials: "omit",
    keepalive,
  });
  await response.text();
}

function leave(): void {
  let bytes = 0;
  const events = queue.splice(0).filter((event) => (bytes += JSON.stringify(event).length + 1) < MAX_EXIT_BYTES);
  if (events.length) void post(events, true);
}
