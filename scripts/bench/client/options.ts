import { parseArgs } from "node:util";

/** What the command line of the benchmark says. */
export interface BenchOptions {
  /** SDKs to measure; empty for all. */
  readonly only: readonly string[];
  /** Rows to measure; empty for all. */
  readonly rows: readonly string[];
  /** How often each is measured. */
  readonly rounds: number;
  /** Commit whose client is the column `before`. */
  readonly before: string;
  /** Whether the table has the lowest and the highest of the rounds beside each figure. */
  readonly isRanged: boolean;
  /** Shows the usage and ends. */
  readonly isHelp: boolean;
}

const DEFAULT_ROUNDS = 5;
const QUICK_ROUNDS = 1;
/** The last commit before the client was written anew. */
const DEFAULT_BEFORE = "342f149";

/** What `--help` prints, before the names of SDKs and rows. */
export const USAGE: string = `Usage: deno task bench [options]

Measures the client against other SDKs, side by side in a real Chromium, and prints a table of medians.

  --only a,b       these SDKs
  --rows a,b       these rows
  --rounds N       how often each is measured, in an order of its own (default ${DEFAULT_ROUNDS})
  --quick          once
  --before COMMIT  whose client is the column before (default ${DEFAULT_BEFORE})
  --ranges         shows the lowest and the highest of the rounds as well
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
      rows: { type: "string" },
      rounds: { type: "string" },
      quick: { type: "boolean" },
      before: { type: "string", default: DEFAULT_BEFORE },
      ranges: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  const rounds = Number(values.rounds ?? (values.quick ? QUICK_ROUNDS : DEFAULT_ROUNDS));
  if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error(`--rounds must be a number, not ${values.rounds}`);
  return {
    only: split(values.only),
    rows: split(values.rows),
    rounds,
    before: values.before,
    isRanged: values.ranges,
    isHelp: values.help ?? false,
  };
}

function split(list = ""): string[] {
  return list.split(",").map((name) => name.trim()).filter(Boolean);
}
