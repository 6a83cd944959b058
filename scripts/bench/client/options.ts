import { parseArgs } from "node:util";

/** Options of the benchmark. */
export interface BenchOptions {
  /** SDKs to measure; empty for all. */
  readonly only: readonly string[];
  /** Rounds in which each is measured. */
  readonly rounds: number;
  /** Commit whose client is measured as `before`; none without. */
  readonly before: string | undefined;
  /** Whether the tables go into the guide. */
  readonly isWritten: boolean;
  /** Shows the usage and ends. */
  readonly isHelp: boolean;
}

const ROUNDS = 30;
const QUICK_ROUNDS = 5;
const QUICK_SUBJECTS = "floor,floor-50,ours";

/** Text of `--help`, before the names of SDKs. */
export const USAGE: string = `Usage: deno task bench [options]

Measures the client beside a floor and other SDKs, in shuffled order in a real Chromium, and prints tables of medians
with the range of eight of ten rounds. A run takes about an hour, a quick one 3 minutes.

  --quick          ${QUICK_ROUNDS} rounds of this SDK and the floor
  --rounds N       how often each is measured (default ${ROUNDS})
  --only a,b       these SDKs
  --before COMMIT  also the client of that commit, as "before"
  --write          puts the tables into docs/benchmarks.md
  --help           shows this text`;

/**
 * Parses the command line.
 *
 * @throws {Error} Where it says something else.
 */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      rounds: { type: "string" },
      quick: { type: "boolean" },
      before: { type: "string" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const rounds = Number(values.rounds ?? (values.quick ? QUICK_ROUNDS : ROUNDS));
  if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error(`--rounds must be a number, not ${values.rounds}`);
  return {
    only: split(values.only ?? (values.quick ? QUICK_SUBJECTS : "")),
    rounds,
    before: values.before,
    isWritten: values.write,
    isHelp: values.help,
  };
}

function split(list: string): string[] {
  return list.split(",").map((name) => name.trim()).filter(Boolean);
}
