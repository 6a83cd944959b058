import { ENGINE_NAMES } from "../../../tests/faults/engines/engine.ts";

/** Parts of the suite: what goes wrong, and what is measured in time, beside which nothing else may run. */
export type FaultSuite = "scenarios" | "measures";

const SUITES: readonly FaultSuite[] = ["scenarios", "measures"];

/** Options of the suite. */
export interface FaultArgs {
  /** Engines to run in. */
  readonly engines: readonly string[];
  /** Parts to run. */
  readonly suites: readonly FaultSuite[];
  /** Whether all waits and rounds are short. */
  readonly isShort: boolean;
  /** Whether it's the form that a change waits for: short, whole in Chromium, and a few scenarios elsewhere. */
  readonly isSmoke: boolean;
  /** Where all that is random starts. */
  readonly seed: string;
  /** Environment of the tests. */
  readonly env: Readonly<Record<string, string>>;
  /** Arguments that go on to `deno test`. */
  readonly denoArgs: readonly string[];
}

/** Largest seed that is chosen when none is given. */
const MAX_SEED = 1_000_000;

/** Reads the command line; throws at an engine or a part that is none. */
export function parseFaultArgs(args: readonly string[]): FaultArgs {
  const read = (name: string): string | undefined =>
    args.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
  const choose = <Name extends string>(name: string, names: readonly Name[]): readonly Name[] => {
    const wanted = read(name);
    const chosen = wanted === undefined ? names : names.filter((known) => known === wanted);
    if (chosen.length === 0) throw new Error(`--${name} is one of ${names.join(", ")}`);
    return chosen;
  };
  const isSmoke = args.includes("--smoke");
  const isShort = isSmoke || args.includes("--short");
  const seed = read("seed") ?? String(Math.floor(Math.random() * MAX_SEED));
  const rounds = read("rounds");
  const filter = read("filter");
  return {
    engines: choose("engine", ENGINE_NAMES),
    suites: isSmoke ? ["scenarios"] : choose("suite", SUITES),
    isShort,
    isSmoke,
    seed,
    env: { FAULT_FORM: isShort ? "short" : "long", FAULT_SEED: seed, ...(rounds && { FAULT_ROUNDS: rounds }) },
    denoArgs: [...args.filter((argument) => argument === "--no-check"), ...(filter ? [`--filter=${filter}`] : [])],
  };
}
