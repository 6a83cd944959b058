import { lstatSync } from "node:fs";
import { describeError } from "../../platform/describe_error.ts";
import { backUpSqlite } from "../../stores/sqlite/sqlite_backup.ts";
import { listOwnFiles } from "../../stores/sqlite/sqlite_path.ts";
import { createDraft } from "./draft.ts";
import { type Command, readFlags } from "./flags.ts";
import { ServerFault } from "../ops/server_fault.ts";
import { toReportSecretPath } from "./report_secret.ts";
import { findTarget } from "./target_file.ts";

/** `backup`. */
export const BACKUP: Command = {
  name: "backup",
  usage: `Usage: vendor-ingest backup DATABASE COPY

Copies a SQLite database, the file of --sink sqlite:DATABASE, while servers write to it. COPY may be there: it gives way
once the new one is whole. It may be a link to a file, but no file of the database, and none that a process has open.`,
  flags: {},
  forms: ["DATABASE COPY"],
};

/** Source and target of a copy. */
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
    const target = findCopy(copyPath, path);
    const draft = createDraft(target, signal && { signal });
    try {
      await backUpSqlite(path, draft.path);
      findCopy(copyPath, path);
      draft.commit();
    } finally {
      draft.discard();
    }
    return `${copyPath} is a copy of ${path}`;
  } catch (cause) {
    throw new ServerFault(`${path} can't be copied to ${copyPath}: ${describeError(cause)}`, { cause });
  }
}

/** Finds the file of a copy: none that is, or belongs to, a database in use. */
function findCopy(copyPath: string, path: string): string {
  const target = findTarget(copyPath, [...listOwnFiles(path), toReportSecretPath(path)]);
  for (const companion of ["-wal", "-journal"].map((suffix) => `${target}${suffix}`)) {
    if (lstatSync(companion, { throwIfNoEntry: false }) !== undefined) {
      throw new Error(`${companion} is there: a process has ${copyPath} open, or left it so`);
    }
  }
  return target;
}
