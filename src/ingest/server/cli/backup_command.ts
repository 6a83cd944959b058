import { resolve } from "node:path";
import { describeError } from "../../platform/describe_error.ts";
import { backUpSqlite } from "../../stores/sqlite/sqlite_backup.ts";
import { createDraft } from "./draft.ts";
import { type Command, readFlags } from "./flags.ts";
import { ServerFault } from "../ops/server_fault.ts";

/** `backup`. */
export const BACKUP: Command = {
  name: "backup",
  usage: `Usage: vendor-ingest backup DATABASE COPY

Copies a SQLite database, the file of --sink sqlite:DATABASE, while servers write to it. COPY may be there: it gives way
once the new one is whole.`,
  flags: {},
  forms: ["DATABASE COPY"],
};

/** What is to be copied, and where to. */
export interface BackupCommand {
  readonly path: string;
  readonly copyPath: string;
}

/**
 * Reads the arguments of the command.
 *
 * @throws {ServerFault} With what is wrong.
 */
export function parseBackupCommand(args: readonly string[]): BackupCommand | "help" {
  const given = readFlags(BACKUP, { args, variables: {} });
  if (typeof given === "string") return "help";
  const [path = "", copyPath = ""] = given.words;
  // As --sink names it.
  return { path: path.replace(/^sqlite:(?!\/\/)/, ""), copyPath };
}

/**
 * Makes the copy; returns what is to be printed. A copy of before gives way only once the new one is whole and on the
 * disk. When it is broken off, nothing of the new one is left.
 *
 * @throws {ServerFault} When it can't be made.
 */
export async function runBackupCommand({ path, copyPath }: BackupCommand, signal?: AbortSignal): Promise<string> {
  try {
    if (path.startsWith("clickhouse:")) throw new Error("it is for SQLite; ClickHouse has BACKUP TABLE");
    if (resolve(path) === resolve(copyPath)) throw new Error("it is the same file");
    const draft = createDraft(copyPath, signal && { signal });
    try {
      await backUpSqlite(path, draft.path);
      draft.commit();
    } finally {
      draft.discard();
    }
    return `${copyPath} is a copy of ${path}`;
  } catch (cause) {
    throw new ServerFault(`${path} can't be copied to ${copyPath}: ${describeError(cause)}`, { cause });
  }
}
