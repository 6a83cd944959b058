import { ENGINE_NAMES, type EngineName } from "./engines/engine.ts";

/** How the suite runs; the launcher passes it on in the environment. */
export interface Form {
  /** The engine of this process. */
  readonly engine: EngineName;
  /** Whether this is a form of CI: fewer rounds, shorter waits, a soak of half a minute. */
  readonly isShort: boolean;
  /** Whether a few scenarios of the short form are enough. */
  readonly isSmoke: boolean;
  /** Rounds of the scenarios that have rounds. */
  readonly rounds: number;
  /** Where all that is random starts. */
  readonly seed: number;
  /** File that takes the rows, one line of JSON each; none prints them only. */
  readonly rowsPath: string | undefined;
}

/** Rounds of the long form and of CI's. */
const LONG_ROUNDS = 20;
const SHORT_ROUNDS = 2;

/** Reads the form. */
export function readForm(): Form {
  const { env } = Deno;
  const engine = ENGINE_NAMES.find((name) => name === (env.get("FAULT_ENGINE") ?? "chromium"));
  if (!engine) throw new Error(`FAULT_ENGINE is none of ${ENGINE_NAMES.join(", ")}`);
  const isSmoke = env.get("FAULT_FORM") === "smoke";
  const isShort = isSmoke || env.get("FAULT_FORM") === "short";
  return {
    engine,
    isShort,
    isSmoke,
    rounds: Number(env.get("FAULT_ROUNDS") ?? (isShort ? SHORT_ROUNDS : LONG_ROUNDS)),
    seed: Number(env.get("FAULT_SEED") ?? 1),
    rowsPath: env.get("FAULT_ROWS"),
  };
}
