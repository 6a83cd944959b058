import { ENGINE_NAMES } from "../../tests/faults/engines/engine.ts";

/** What the command line of the suite asks for. */
export interface FaultArgs {
  /** Engines to run in. */
  readonly engines: readonly string[];
  /** Whether it's the form of CI. */
  readonly isShort: boolean;
  /** Where all that is random starts. */
  readonly seed: string;
  /** Where the JUnit report goes, if anywhere. */
  readonly junitPath: string | undefined;
  /** Environment of the tests. */
  readonly env: Readonly<Record<string, string>>;
  /** Arguments that go on to `deno test`. */
  readonly denoArgs: readonly string[];
}

/** Largest seed that is chosen when none is given. */
const MAX_SEED = 1_000_000;

/** Reads the command line; throws at an engine that is none. */
export function parseFaultArgs(args: readonly string[]): FaultArgs {
  const read = (name: string): string | undefined =>
    args.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
  const engine = read("engine");
  const engines = engine === undefined ? ENGINE_NAMES : ENGINE_NAMES.filter((name) => name === engine);
  if (engines.length === 0) throw new Error(`--engine is one of ${ENGINE_NAMES.join(", ")}`);
  const isShort = args.includes("--short");
  const seed = read("seed") ?? String(Math.floor(Math.random() * MAX_SEED));
  const rounds = read("rounds");
  const filter = read("filter");
  return {
    engines,
    isShort,
    seed,
    junitPath: read("junit-path"),
    env: { FAULT_FORM: isShort ? "short" : "long", FAULT_SEED: seed, ...(rounds && { FAULT_ROUNDS: rounds }) },
    denoArgs: filter ? [`--filter=${filter}`] : [],
  };
}
