import fc from "fast-check";
import type { ConsentState } from "../../src/client/base/types.ts";
import type { Settings } from "./tab.ts";
import { FINAL, TEMPORARY, type TreatmentName } from "./treatments.ts";

/** Something that happens to a world. A tab is one of those alive, by its index modulo their number. */
export type Command =
  | { readonly do: "open"; readonly settings: Settings; readonly isPrerendering: boolean; readonly tracksHide: boolean }
  | { readonly do: "init"; readonly tab: number; readonly settings: Settings }
  | { readonly do: "step"; readonly tab: number; readonly amount: number; readonly size: number }
  | { readonly do: "consent"; readonly tab: number; readonly state: ConsentState }
  | { readonly do: PlainCall | Turn | "poison"; readonly tab: number }
  | { readonly do: "wait" | "clock"; readonly ms: number }
  | { readonly do: "server"; readonly next: readonly TreatmentName[]; readonly then: TreatmentName }
  | { readonly do: "answer"; readonly index: number; readonly name: TreatmentName }
  | { readonly do: "storage"; readonly access: "open" | "blocked" | "full" }
  | { readonly do: "emptied" | "offline" | "online" };

/** A call without anything to choose. */
export type PlainCall = typeof PLAIN_CALLS[number];

/** A turn in the life of a page. */
export type Turn = "activate" | "hide" | "show" | "freeze" | "restore" | "close" | "crash" | "reload";

/** Every call without anything to choose. */
export const PLAIN_CALLS = ["identify", "reset", "page", "flush", "navigate", "redirect", "title", "clear"] as const;

/** Every kind of command, as the statistics name them. */
export const COMMANDS: readonly Command["do"][] = [
  ...PLAIN_CALLS,
  ...["activate", "hide", "show", "freeze", "restore", "close", "crash", "reload"] as const,
  ...["open", "init", "step", "consent", "wait", "clock", "server", "answer", "storage"] as const,
  ...["emptied", "offline", "online", "poison"] as const,
];

const HOUR_MS = 3_600_000;
const tab = fc.nat(4);
const temporary = fc.constantFrom(...TEMPORARY);
const treatment = fc.oneof({ weight: 6, arbitrary: temporary }, { weight: 1, arbitrary: fc.constantFrom(...FINAL) });
const settings: fc.Arbitrary<Settings> = fc.record({
  account: fc.oneof({ weight: 9, arbitrary: fc.constant(0 as const) }, {
    weight: 1,
    arbitrary: fc.constant(1 as const),
  }),
  consent: fc.oneof(
    { weight: 8, arbitrary: fc.constant("granted" as const) },
    { weight: 2, arbitrary: fc.constantFrom("pending" as const, "pending" as const, "denied" as const) },
  ),
  mode: fc.constantFrom(false, true, "auto" as const),
  maxBatchSize: fc.constantFrom(1, 3, 50),
  flushInterval: fc.constantFrom(0, 500, 5000, 60_000, 3_600_000),
});
const open = fc.record({
  do: fc.constant("open" as const),
  settings,
  isPrerendering: fc.integer({ max: 9, min: 0 }).map((n) => n === 9),
  tracksHide: fc.boolean(),
});
const turn = (names: readonly (Turn | PlainCall | "poison")[]): fc.Arbitrary<Command> =>
  fc.record({ do: fc.constantFrom(...names), tab });

const CALLS: readonly fc.MaybeWeightedArbitrary<Command>[] = [
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant("step" as const),
      tab,
      amount: fc.constantFrom(1, 1, 2, 7, 60),
      size: fc.constantFrom(0, 0, 100, 9000),
    }),
  },
  { weight: 6, arbitrary: turn(["identify", "reset", "page", "flush", "flush", "navigate", "redirect", "title"]) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("consent" as const),
      tab,
      state: fc.constantFrom<ConsentState>("granted", "granted", "granted", "pending", "pending", "denied"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("init" as const), tab, settings }) },
];

const TURNS: readonly fc.MaybeWeightedArbitrary<Command>[] = [
  { weight: 3, arbitrary: open },
  { weight: 5, arbitrary: turn(["hide", "show"]) },
  { weight: 4, arbitrary: turn(["freeze", "restore"]) },
  { weight: 4, arbitrary: turn(["close", "crash", "crash", "reload", "activate"]) },
];

const SURROUNDINGS: readonly fc.MaybeWeightedArbitrary<Command>[] = [
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.constantFrom(0, 1, 100, 1000, 1000, 2000, 5000, 16_000, 31_000, 60_000, 600_000),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("server" as const),
      next: fc.array(treatment, { maxLength: 4 }),
      then: temporary,
    }),
  },
  { weight: 1, arbitrary: turn(["poison", "clear"]) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("answer" as const), index: fc.nat(9), name: treatment }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom("offline" as const, "online" as const, "online" as const) }),
  },
];

/** What only some runs have, since less can be said of those. */
const DISTURBANCES: readonly fc.MaybeWeightedArbitrary<Command>[] = [
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("storage" as const),
      access: fc.constantFrom("open" as const, "blocked" as const, "full" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("clock" as const),
      ms: fc.constantFrom(-30 * 24 * HOUR_MS, -HOUR_MS, HOUR_MS, 169 * HOUR_MS, 169 * HOUR_MS),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "emptied" as const }) },
];

const calm = fc.oneof(...CALLS, ...TURNS, ...SURROUNDINGS);
const disturbed = fc.oneof(...CALLS, ...TURNS, ...SURROUNDINGS, ...DISTURBANCES);

/** What happens in a run, from the first page on. */
export const runs: fc.Arbitrary<readonly Command[]> = fc.oneof(
  { weight: 3, arbitrary: buildRun(calm) },
  { weight: 1, arbitrary: buildRun(disturbed) },
);

function buildRun(command: fc.Arbitrary<Command>): fc.Arbitrary<readonly Command[]> {
  return fc.tuple(open, fc.array(command, { maxLength: 40, size: "max" })).map(([first, rest]) => [first, ...rest]);
}
