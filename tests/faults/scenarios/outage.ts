import { always, type Fault, inTurn, slowPreflight } from "../fault.ts";
import { pause } from "../pauses.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** Events of a visit. */
const EVENTS = 200;

/** What the ingest's place answers when it can't store. */
const UNAVAILABLE: Fault = { kind: "answer", status: 503 };

/** Tracks on a page whose requests meet faults. */
async function visit(stage: Stage, ...faults: readonly Fault[]): Promise<void> {
  stage.injector.plan(inTurn(...faults));
  await stage.track(await stage.open(), EVENTS);
}

/** How far timers and clocks may be apart, in milliseconds. */
const CLOCK_MS = 20;

/** Scenario 2: the server fails while the page lives. */
export const OUTAGE: readonly Scenario[] = [
  {
    id: "2a",
    title: `${EVENTS} events, the first two answers 503`,
    run: (stage) => visit(stage, UNAVAILABLE, UNAVAILABLE),
  },
  {
    id: "2b",
    title: `${EVENTS} events, the server away for 5 s`,
    async run(stage) {
      const tab = await stage.open();
      await stage.injector.away();
      await stage.track(tab, EVENTS);
      await pause(5000);
      await stage.injector.back();
    },
  },
  {
    id: "2c",
    title: `${EVENTS} events, the first answer lost after storing`,
    repeats: "the answer is lost",
    run: (stage) => visit(stage, { kind: "lose_answer" }),
  },
  {
    id: "2d",
    title: `${EVENTS} events, the connection dropped before and after the body was read`,
    run: (stage) => visit(stage, { kind: "drop_unread" }, { kind: "drop_read" }),
  },
  {
    id: "2e",
    title: `${EVENTS} events, answers that take 3 s`,
    run: (stage) => visit(stage, { kind: "delay", ms: 3000 }, { kind: "delay", ms: 3000 }),
  },
  {
    id: "2f",
    title: `${EVENTS} events, the first answer never comes`,
    async run(stage) {
      stage.injector.plan(inTurn({ kind: "hang" }));
      await stage.track(await stage.open(), EVENTS);
      await stage.untilStored(45_000); // an answer may take 30 s
    },
  },
  {
    id: "2g",
    title: `${EVENTS} events, a preflight that takes 3 s`,
    async run(stage) {
      stage.injector.plan(slowPreflight(3000));
      await stage.track(await stage.open(), EVENTS);
    },
  },
  {
    id: "2h",
    title: `${EVENTS} events, Retry-After in seconds and as a date`,
    async run(stage) {
      let date = "";
      stage.injector.plan(({ method, index }) => {
        if (method !== "POST" || index > 1) return undefined;
        if (index === 0) return { kind: "answer", status: 429, retryAfter: "2" };
        date = new Date(Date.now() + 4000).toUTCString(); // of whole seconds
        return { kind: "answer", status: 503, retryAfter: date };
      });
      await stage.track(await stage.open(), EVENTS);
      await stage.untilStored(20_000);
      const [first, second, third] = stage.injector.attempts;
      if (!first || !second || !third) throw new Error("no three requests");
      if (second.timeMs < first.timeMs + 2000 - CLOCK_MS) throw new Error("sent before the seconds of Retry-After");
      if (third.timeMs < Date.parse(date) - CLOCK_MS) throw new Error("sent before the date of Retry-After");
    },
  },
  {
    id: "2i",
    title: "the page goes while Retry-After holds the queue",
    async run(stage) {
      stage.injector.plan(always({ kind: "answer", status: 503, retryAfter: "60" }));
      const tab = await stage.open();
      await stage.track(tab, EVENTS);
      await pause(1000);
      await tab.close();
      await pause(500);
      if (stage.injector.attempts.length !== 1) throw new Error("sent before Retry-After was over");
      stage.injector.plan();
      await stage.open();
    },
  },
];
