import { lstatSync, statSync } from "node:fs";
import { describeError } from "../../platform/describe_error.ts";
import { backUpSqlite } from "../../stores/sqlite/sqlite_backup.ts";
import { listOwnFiles } from "../../stores/sqlite/sqlite_path.ts";
import { backUpFolder } from "./backup_folder.ts";
import { createDraft } from "./draft.ts";
import { type Command, readFlags } from "./flags.ts";
import { ServerFault } from "../ops/server_fault.ts";
import { toReportSecretPath } from "./report_secret.ts";
import { pickSet, text } from "./shared_flags.ts";
import { findTarget } from "./target_file.ts";

const FLAGS = { "keys-file": { ...text("FILE"), help: "file with keys that comes along, as keys.json" } };

/** `backup`. */
export const BACKUP: Command = {
  name: "backup",
  usage: `Usage: vendor-ingest backup FOLDER COPY [--keys-file FILE]
       vendor-ingest backup DATABASE COPY

Copies the folder of --sink file:FOLDER, or the file of --sink sqlite:DATABASE, while servers write to it. COPY may be
there: it gives way once the new one is whole. Sealed files are linked where the disk is the same. COPY must not be in
the folder, nor a file of the database, and no process may have it open.`,
  flags: FLAGS,
  forms: ["FOLDER COPY"],
};

/** Source and target of a copy. */
export interface BackupCommand {
  readonly path: string;
  readonly copyPath: string;
  /** Whether a folder was named as one; what is there says it otherwise. */
  readonly isFolder?: boolean;
  /** File with keys that comes along with a folder. */
  readonly keysPath?: string;
}

/**
 * Reads the arguments of the command.
 *
 * @throws {ServerFault} With what is wrong.
 */
export function parseBackupCommand(args: readonly string[]): BackupCommand | "help" {
  const given = readFlags({ ...BACKUP, flags: FLAGS }, { args, variables: {} });
  if (typeof given === "string") return "help";
  const [named = "", copyPath = ""] = given.words;
  const keysPath = given.values["keys-file"];
  // As --sink names it.
  const path = named.replace(/^(file|sqlite):(?!\/\/)/, "");
  return { path, copyPath, ...(named.startsWith("file:") && { isFolder: true }), ...pickSet({ keysPath }) };
}

/**
 * Makes the copy; returns what is to be printed. A copy of before gives way only once the new one is whole and on the
 * disk. When it is broken off, nothing of the new one is left.
 *
 * @throws {ServerFault} When it can't be made.
 */
export async function runBackupCommand(command: BackupCommand, signal?: AbortSignal): Promise<string> {
  const { path, copyPath } = command;
  try {
    if (path.startsWith("clickhouse:")) throw new Error("ClickHouse has BACKUP TABLE");
    if (command.isFolder || statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      await backUpFolder(command, signal);
      return `${copyPath} is a copy of ${path}`;
    }
    if (command.keysPath !== undefined) throw new Error("keys-file is for a folder of events");
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
