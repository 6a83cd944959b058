import type { Writable } from "node:stream";
import * as v from "valibot";
import { describeError } from "../../platform/describe_error.ts";
import type { Answer } from "../../stores/file/duckdb.ts";
import { packAnswer } from "../../stores/file/pack_answer.ts";
import { queryFolder } from "../../stores/file/query_folder.ts";
import { cleanValue, type Variables } from "./clean_value.ts";
import { type Command, readFlags } from "./flags.ts";
import { checkDamaged } from "./report_place.ts";
import { oneOf } from "./shared_flags.ts";
import { writeAnswer } from "./sql_answer.ts";
import { ServerFault } from "../ops/server_fault.ts";
import { type Chunk, writeNewFile } from "./target_file.ts";

const FORMATS = ["table", "csv", "json", "parquet"] as const;

const COMMAND = {
  name: "sql",
  usage: `Usage: vendor-ingest sql "SELECT …" [options]

Asks the events of a folder in SQL, while servers write there. The view events has all of them, the view e those of
people, of the key that --key names, with their day in UTC: see docs/sql.md. The statement can read nothing else, and
change nothing.`,
  flags: {
    sink: {
      value: "SINK",
      schema: v.pipe(v.string(), v.transform(cleanValue), v.regex(/^file:./s, "must be file:FOLDER")),
      default: "file:events",
      help: "file:FOLDER of the ingest",
    },
    key: {
      value: "KEY",
      schema: v.string(),
      isCommandLineOnly: true,
      help: "publishable key whose events the view e has (default: all keys)",
    },
    format: { ...oneOf("FORMAT", FORMATS), isCommandLineOnly: true, default: "table", help: FORMATS.join(", ") },
    out: {
      value: "FILE",
      schema: v.string(),
      isCommandLineOnly: true,
      help: "a new file that nobody else can read; - is the output (default: the output)",
    },
  },
  notes: "--sink can be the variable INGEST_SINK.",
  forms: ["SELECT"],
  isVerbatim: true,
} satisfies Command;

/** `sql`. */
export const SQL: Command = COMMAND;

/** The parsed command. */
export interface SqlCommand {
  readonly folder: string;
  readonly sql: string;
  readonly apiKey?: string;
  readonly format: typeof FORMATS[number];
  readonly out?: string;
}

/**
 * Reads the arguments of the command.
 *
 * @throws {ServerFault} With what is wrong.
 */
export function parseSqlCommand(args: readonly string[], variables: Variables): SqlCommand | "help" {
  const given = readFlags(COMMAND, { args, variables });
  if (typeof given === "string") return "help";
  const { values: { sink, key, format, out }, words: [sql = ""] } = given;
  return {
    ...{ folder: sink.slice("file:".length), sql, format },
    ...(key && { apiKey: key }),
    ...(out !== undefined && { out }),
  };
}

/**
 * Asks, and writes the answer.
 *
 * @throws {ServerFault} When the folder can't be read, the statement can't be answered, or the answer can't be written; and once it is
 * written, where files can't be read.
 */
export async function runSqlCommand(
  { folder, sql, apiKey, format, out }: SqlCommand,
  { output, signal }: { readonly output: Writable; readonly signal: AbortSignal },
): Promise<void> {
  try {
    const answer = await queryFolder({ folder, sql, signal, ...(apiKey && { apiKey }) });
    await writeNewFile([await writeAs(answer, format)], { out, output, signal, used: [] });
    checkDamaged(answer.damaged);
  } catch (cause) {
    throw new ServerFault(`there is no whole answer: ${describeError(cause)}`, { cause });
  }
}

async function writeAs(answer: Answer, format: SqlCommand["format"]): Promise<Chunk> {
  return format === "parquet" ? await packAnswer(answer) : writeAnswer(answer, format);
}
