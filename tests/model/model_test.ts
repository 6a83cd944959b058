/**
 * The model-based test: random sequences of calls, answers, faults and turns in the lives of several pages, held
 * against rules that must be true of every one of them. `deno task test` takes a few hundred sequences;
 * `MODEL_RUNS=5000 deno task test tests/model` that many, and prints what they exercised.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { type Command, COMMANDS, runs } from "./commands.ts";
import { checkEnd, finish } from "./finish.ts";
import { perform } from "./perform.ts";
import { createRequestRules } from "./request_rules.ts";
import { createStatistics } from "./statistics.ts";
import { FINAL, TEMPORARY } from "./treatments.ts";
import { createWorld } from "./world.ts";

const QUICK_RUNS = 200;

/** What a test must come across, or it proves nothing. */
const EXERCISED: readonly string[] = [
  ...COMMANDS.map((name) => `command: ${name}`),
  ...TEMPORARY.map((name) => `answer: ${name}`),
  "seen: a batch sent again",
  "seen: an event sent by another page",
  "seen: an event that the ingest has already",
];

/** What is rarer, and left to the long form. */
const RARE: readonly string[] = [
  ...FINAL.map((name) => `answer: ${name}`),
  ...["consent", "rejected", "stopped", "too_large"].map((reason) => `dropped: ${reason}`),
  "seen: a draft thrown away",
  "seen: a title that came late",
  "seen: denial heard",
  "seen: denial found on return",
  "seen: somebody else found on return",
  "seen: a late answer",
  "seen: an aggregate request",
];

/** The key is refused with an aggregate while the visitor consents: the page sends nothing more, and counts what it drops. */
const GRANT_BESIDE_REFUSAL: readonly Command[] = [
  {
    do: "open",
    settings: { account: 0, consent: "pending", mode: "auto", maxBatchSize: 1, flushInterval: 0 },
    isPrerendering: false,
    tracksHide: false,
  },
  { do: "server", next: ["401"], then: "202" },
  { do: "hide", tab: 0 },
  { do: "consent", tab: 0, state: "granted" },
  { do: "wait", ms: 31_000 },
  { do: "step", tab: 0, amount: 1, size: 0 },
  { do: "wait", ms: 0 },
];

/** An `init()` comes just after the page has read that the key is refused: the third step came while it read. */
const INIT_BESIDE_REFUSAL: readonly Command[] = [
  {
    do: "open",
    settings: { account: 0, consent: "granted", mode: false, maxBatchSize: 1, flushInterval: 0 },
    isPrerendering: false,
    tracksHide: false,
  },
  { do: "storage", access: "blocked" },
  { do: "server", next: ["401"], then: "202" },
  { do: "hide", tab: 0 },
  { do: "step", tab: 0, amount: 1, size: 0 },
  { do: "step", tab: 0, amount: 1, size: 0 },
  { do: "step", tab: 0, amount: 1, size: 0 },
];

/** The same, and the page may stop after the `init()`: it asked for the answer before. */
const STOP_AFTER_INIT: readonly Command[] = [
  {
    do: "open",
    settings: { account: 0, consent: "granted", mode: false, maxBatchSize: 50, flushInterval: 0 },
    isPrerendering: false,
    tracksHide: false,
  },
  { do: "server", next: [], then: "413 over 1" },
  { do: "step", tab: 0, amount: 7, size: 0 },
  { do: "hide", tab: 0 },
  { do: "server", next: ["202", "401"], then: "202" },
  { do: "identify", tab: 0 },
  { do: "server", next: [], then: "202" },
  {
    do: "init",
    tab: 0,
    settings: { account: 0, consent: "granted", mode: false, maxBatchSize: 1, flushInterval: 0 },
  },
  { do: "poison", tab: 0 },
];

Deno.test("property: whatever happens, no event is lost or invented, and nothing outruns consent", async () => {
  const statistics = createStatistics();
  const longRuns = Deno.env.get("MODEL_RUNS");

  await fc.assert(
    fc.asyncProperty(runs, fc.nat(), async (commands, seed) => {
      const world = createWorld(seed, statistics);
      const rules = createRequestRules(world);
      for (const command of commands) {
        await perform(world, rules, command);
        if (world.violations.length) break;
      }
      if (!world.violations.length) {
        await finish(world, rules);
        checkEnd(world);
      }
      assertEquals(world.violations, []);
    }),
    {
      numRuns: Number(longRuns ?? QUICK_RUNS),
      examples: [GRANT_BESIDE_REFUSAL, INIT_BESIDE_REFUSAL, STOP_AFTER_INIT].map((commands) => [commands, 0]),
    },
  );

  if (longRuns) console.log(statistics.format());
  assertEquals(statistics.missing(longRuns ? [...EXERCISED, ...RARE] : EXERCISED), []);
});
