import { describeError } from "../../platform/describe_error.ts";
import { backUpFolder, type FolderBackup } from "./backup_folder.ts";
import { type Command, readFlags } from "./flags.ts";
import { ServerFault } from "../ops/server_fault.ts";
import { pickSet, text } from "./shared_flags.ts";

const FLAGS = { "keys-file": { ...text("FILE"), help: "file with keys that comes along, as keys.json" } };

/** `backup`. */
export const BACKUP: Command = {
  name: "backup",
  usage: `Usage: vendor-ingest backup FOLDER COPY [--keys-file FILE]

Copies the folder of --sink file:FOLDER while servers write to it. COPY may be there: it gives way once the new one is
whole. Sealed files are linked where the disk is the same. COPY must not be in the folder, and no process may have it
open.`,
  flags: FLAGS,
  forms: ["FOLDER COPY"],
};

/**
 * Reads the arguments of the command.
 *
 * @throws {ServerFault} With what is wrong.
 */
export function parseBackupCommand(args: readonly string[]): FolderBackup | "help" {
  const given = readFlags({ ...BACKUP, flags: FLAGS }, { args, variables: {} });
  if (typeof given === "string") return "help";
  const [named = "", copyPath = ""] = given.words;
  const keysPath = given.values["keys-file"];
  // As --sink names it.
  const path = named.replace(/^file:(?!\/\/)/, "");
  return { path, copyPath, ...pickSet({ keysPath }) };
}

/**
 * Makes the copy; returns what is to be printed. A copy of before gives way only once the new one is whole and on the
 * disk. When it is broken off, nothing of the new one is left.
 *
 * @throws {ServerFault} When it can't be made.
 */
export async function runBackupCommand(command: FolderBackup, signal?: AbortSignal): Promise<string> {
  const { path, copyPath } = command;
  try {
    if (path.startsWith("clickhouse:")) throw new Error("ClickHouse has BACKUP TABLE");
    await backUpFolder(command, signal);
    return `${copyPath} is a copy of ${path}`;
  } catch (cause) {
    throw new ServerFault(`${path} can't be copied to ${copyPath}: ${describeError(cause)}`, { cause });
  }
}
