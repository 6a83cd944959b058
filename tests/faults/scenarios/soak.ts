import type { Tab } from "../engines/engine.ts";
import type { Fault, Planner } from "../fault.ts";
import { pause } from "../pauses.ts";
import type { Random } from "../random.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** How long faults come, in milliseconds: ten minutes, a minute in CI. */
const LONG_MS = 600_000;
const SHORT_MS = 30_000;

/** Events of a tick, and its length: 20 events a second. */
const TICK_EVENTS = 10;
const TICK_MS = 500;

/** How often a request meets a fault, the page goes, and the server does. */
const FAULT_SHARE = 0.4;
const LEAVE_SHARE = 0.03;
const AWAY_SHARE = 0.02;

const STATUSES = [408, 425, 429, 500, 502, 503, 504] as const;

function chooseFault(random: Random): Fault {
  const status = STATUSES[Math.floor(random.next() * STATUSES.length)] ?? 503;
  const kinds: readonly Fault[] = [
    { kind: "answer", status },
    { kind: "answer", status, retryAfter: "1" },
    { kind: "delay", ms: random.between(10, 2000) },
    { kind: "drop_unread" },
    { kind: "drop_read" },
    { kind: "lose_answer" },
  ];
  return kinds[Math.floor(random.next() * kinds.length)] ?? { kind: "drop_read" };
}

const planSoak = (random: Random): Planner => ({ method }) => {
  if (random.next() > FAULT_SHARE) return undefined;
  if (method === "POST") return chooseFault(random);
  return method === "OPTIONS" ? { kind: "delay", ms: random.between(10, 1000) } : undefined;
};

/** Leaves the page in one of the ways a visitor does, and returns the tab that goes on. */
async function leave(stage: Stage, tab: Tab): Promise<Tab> {
  const way = Math.floor(stage.random.next() * 3);
  if (way === 0) {
    await tab.reload();
    return tab;
  }
  if (way === 1) {
    await tab.goto(`${stage.otherSite.origin}/`);
    await tab.goto(`${stage.site.origin}/`);
    return tab;
  }
  const next = await stage.open();
  await tab.close();
  return next;
}

/** Scenario 11: everything at random. */
export const SOAK: readonly Scenario[] = [
  {
    id: "11",
    title: "a soak at 20 events/s with random faults",
    repeats: "answers are lost, and come when their page has gone",
    async run(stage) {
      const { injector, random, form } = stage;
      const lengthMs = form.isShort ? SHORT_MS : LONG_MS;
      stage.note(`${lengthMs / 1000} s, seed ${form.seed}`);
      console.log(`soak: seed ${form.seed}`);
      let tab = await stage.open();
      let pages = 1;
      let outages = 0;
      injector.plan(planSoak(random));
      const endMs = performance.now() + lengthMs;
      for (let nextMs = performance.now(); nextMs < endMs; nextMs += TICK_MS) {
        await pause(Math.max(0, nextMs - performance.now()));
        await stage.track(tab, TICK_EVENTS);
        const dice = random.next();
        if (dice < LEAVE_SHARE) {
          tab = await leave(stage, tab);
          pages++;
        } else if (dice < LEAVE_SHARE + AWAY_SHARE) {
          outages++;
          await injector.away();
          await pause(random.between(200, 2000));
          await injector.back();
        }
      }
      injector.plan();
      stage.note(`${pages} pages, ${outages} outages, ${injector.attempts.length} requests`);
      await tab.close();
      await stage.open();
    },
  },
];
