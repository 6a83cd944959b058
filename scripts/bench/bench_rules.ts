/**
 * `deno task bench:rules`: what each shipped rule costs an event of 1 KB, as `useRules()` has it run, and what the mask
 * takes for 32 KiB. Fails over the limits.
 *
 * @module
 */
import {
  addProperties,
  dropQuery,
  keepQuery,
  maskMailAndTokens,
  maskPath,
  type Rule,
  sampleVisitors,
  useRules,
} from "../../src/addons/rules/mod.ts";
import { createClient } from "../../src/client/mod.ts";
import { INSIDE } from "../../src/client/inside.ts";
import type { FinishedEvent } from "../../src/client/base/draft.ts";
import type { Hooks } from "../../src/client/hooks.ts";
import { createTestBrowser } from "../../src/testing/mod.ts";

/** Most microseconds that a rule may add to an event of 1 KB. */
const RULE_LIMIT_US = 20;

/** Most milliseconds that the mask may take for 32 KiB. */
const MASK_LIMIT_MS = 2;

const EVENT_BYTES = 1024;
const CALLS_PER_ROUND = 500;
const WARM_UP_ROUNDS = 20;
const ROUNDS = 60;

const RULES: Readonly<Record<string, readonly Rule[]>> = {
  "no rule": [],
  "keepQuery()": [keepQuery(["utm_*", "q"])],
  "dropQuery()": [dropQuery()],
  "maskPath()": [maskPath(/\/users\/[^/]+/, "/users/:id")],
  "addProperties()": [addProperties({ release: "2026.11", team: "checkout", experiment: { blue: true } })],
  "sampleVisitors()": [sampleVisitors(1)],
  "maskMailAndTokens()": [maskMailAndTokens()],
};

interface Ruled {
  readonly event: FinishedEvent;
  readonly hooks: Hooks;
  close(): void;
}

/** Returns a step of 1 KB as it comes to the rules of a client. */
function captureEvent(): Ruled {
  const page = createTestBrowser().open("https://shop.example/users/7/orders?utm_source=news&q=tea&page=2#top", {
    title: "Orders of ann@mail.example",
    referrer: "https://shop.example/users/7?to=ann%40mail.example",
  });
  const client = createClient({ apiKey: "pk_bench" }, page.environment);
  const { hooks, finish } =
    (client as unknown as { readonly [INSIDE]: Ruled & { readonly finish: () => void } })[INSIDE];
  const events: FinishedEvent[] = [];
  hooks.on.push((change) => change.type === "queued" && events.push(change.event));
  const step = (items: readonly string[]): FinishedEvent => {
    client.step("checkout", { total: 12.5, coupon: null, buyer: "ann@mail.example", items });
    finish();
    return events[events.length - 1] ?? step(items);
  };
  const items: string[] = [];
  let event = step(items);
  while (event.text.length < EVENT_BYTES) event = step((items.push(`Oolong no. ${items.length}`), items));
  return { event, hooks, close: client.close };
}

/** Returns the microseconds that an event takes: other programs can only make a round slower, so the fastest counts. */
function measure(call: () => unknown): number {
  let best = Infinity;
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    const startMs = performance.now();
    for (let i = 0; i < CALLS_PER_ROUND; i++) call();
    if (round >= WARM_UP_ROUNDS) best = Math.min(best, performance.now() - startMs);
  }
  return best / CALLS_PER_ROUND * 1000;
}

/** Returns the milliseconds of the slowest of some texts of 32 KiB, as properties, each the fastest of its runs. */
function measureMask(): number {
  const [rule] = RULES["maskMailAndTokens()"] ?? [];
  const slowest = ["a", "@", "a@b.1", "a1-", "%25", "abcdef ", "ann@mail.example "].map((part) => {
    const properties = { text: part.repeat(32_768 / part.length) };
    const event = { kind: "step", name: "a", properties, url: "", referrer: "", title: "" } as const;
    return Math.min(...Array.from({ length: ROUNDS }, () => {
      const startMs = performance.now();
      rule?.({ ...event });
      return performance.now() - startMs;
    }));
  });
  return Math.max(...slowest);
}

function main(): number {
  const { event, hooks, close } = captureEvent();
  // The document's checks count, the client's don't.
  const target = { getConsent: () => "granted" as const, [INSIDE]: { environment: { canCollect: true }, hooks } };
  let isOver = false;
  let bareUs = 0;
  console.log(`An event of ${event.text.length} bytes, microseconds`);
  for (const [name, rules] of Object.entries(RULES)) {
    const remove = useRules(target, ...rules);
    const [review] = hooks.beforeSend;
    const us = measure(() => review?.(event));
    remove();
    if (rules.length === 0) bareUs = us;
    const ownUs = us - bareUs;
    isOver ||= ownUs > RULE_LIMIT_US;
    const text = rules.length === 0 ? us : Math.max(0, ownUs);
    console.log(`${name.padEnd(24)}${text.toFixed(1).padStart(6)}${rules.length === 0 ? " once, for all rules" : ""}`);
  }
  const maskMs = measureMask();
  console.log(`maskMailAndTokens() takes ${maskMs.toFixed(2)} ms for 32 KiB at the most, limit ${MASK_LIMIT_MS} ms`);
  console.log(`limit of a rule: ${RULE_LIMIT_US} microseconds`);
  close();
  return isOver || maskMs > MASK_LIMIT_MS ? 1 : 0;
}

Deno.exit(main());
