import { script } from "../../browser/html.ts";
import type { Tab } from "../engines/engine.ts";
import { pause } from "../pauses.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** How long the visit lasts whose requests are all blocked, in milliseconds, and how often something happens in it. */
const LONG_VISIT_MS = 30_000;
const SHORT_VISIT_MS = 10_000;
const EVENT_INTERVAL_MS = 1000;

/** Most requests that a page may make in ten minutes when none gets through; a visit is no longer than that. */
const MAX_REQUESTS = 12;

/** Longest time until the next visit has brought everything in, in milliseconds. */
const LIMIT_MS = 10_000;

/** Key of the page's own storage that counts the requests: one of a page that goes is counted there as well. */
const COUNT_KEY = "requests";

/** What stands between the page and the endpoint. */
type Blocker = "policy" | "extension";

interface RequestOptions {
  readonly endpoint: string;
  readonly key: string;
  /** Whether they fail as those that an ad blocker stops; no driver stops those that a page makes as it goes. */
  readonly isFailing: boolean;
}

/** Counts what the page asks the endpoint for, whether it's let through or not. */
const COUNT_REQUESTS = ({ endpoint, key, isFailing }: RequestOptions): void => {
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => {
    if (input !== endpoint) return fetch(input, init);
    localStorage.setItem(key, `${Number(localStorage.getItem(key)) + 1}`);
    return isFailing ? Promise.reject(new TypeError("Failed to fetch")) : fetch(input, init);
  };
};

const readCount = (tab: Tab): Promise<number> =>
  tab.evaluate(script((key) => Number(localStorage.getItem(key)), COUNT_KEY));

function serve(stage: Stage, blocker?: Blocker): void {
  const { endpoint } = stage.injector;
  stage.serve("/", {
    parts: { before: script(COUNT_REQUESTS, { endpoint, key: COUNT_KEY, isFailing: blocker === "extension" }) },
    ...(blocker === "policy" && { headers: { "Content-Security-Policy": "connect-src 'self'" } }),
  });
}

/** Makes a visit that lets nothing out, and another one. */
async function visitTwice(stage: Stage, blocker: Blocker): Promise<void> {
  const { injector, note } = stage;
  serve(stage, blocker);
  const visitMs = stage.form.isShort ? SHORT_VISIT_MS : LONG_VISIT_MS;
  const tab = await stage.open();
  for (const endMs = performance.now() + visitMs; performance.now() < endMs; await pause(EVENT_INTERVAL_MS)) {
    await stage.track(tab, 1);
  }
  const alive = await readCount(tab);
  await tab.close();
  const plain = await stage.open("/plain");
  const requests = await readCount(plain);
  note(`${requests} requests in ${visitMs / 1000} s, ${requests - alive} of them as the page went`);
  if (alive === 0) throw new Error("nothing was tried");
  if (injector.attempts.length > 0) throw new Error("not blocked");
  serve(stage);
  await stage.open();
  const isStored = await stage.untilStored(LIMIT_MS);
  if (requests > MAX_REQUESTS) throw new Error(`${requests} requests of a page that is blocked`);
  if (!isStored) throw new Error(`not all arrived within ${LIMIT_MS / 1000} s of the next visit`);
}

/** Scenario 6, blocked: the network is there, and something between the page and the endpoint lets nothing through. */
export const BLOCKED: readonly Scenario[] = [
  {
    id: "6c",
    title: "a content security policy (a header) blocks the endpoint for a whole visit, then a visit without it",
    run: (stage) => visitTwice(stage, "policy"),
  },
  {
    id: "6d",
    title: "a blocker (a script that fails requests) blocks the endpoint for a whole visit, then a visit without it",
    run: (stage) => visitTwice(stage, "extension"),
  },
];
