import { describeError } from "../describe_error.ts";
import { backUpSqlite } from "../sinks/sqlite/sqlite_backup.ts";
import { ServerFault } from "./server_fault.ts";

/** The help text of the command. */
export const BACKUP_USAGE = `Usage: ingest backup DATABASE COPY

Copies a SQLite database, the file of --sink sqlite:DATABASE, while servers write to it. COPY may be there: it gives way
once the new one is whole.`;

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
  const [path, copyPath, ...others] = args;
  if (path === "--help" || path === "-h") return "help";
  if (path === undefined || copyPath === undefined || others.length > 0 || args.some((arg) => arg.startsWith("-"))) {
    throw new ServerFault("backup takes DATABASE COPY: see backup --help");
  }
  return { path, copyPath };
}

/**
 * Makes the copy; returns what is to be printed.
 *
 * @throws {ServerFault} When it can't be made.
 */
export function runBackupCommand({ path, copyPath }: BackupCommand): string {
  try {
    if (path.startsWith("clickhouse:")) throw new Error("it is for SQLite; ClickHouse has BACKUP TABLE");
    backUpSqlite(path, copyPath);
    return `${copyPath} is a copy of ${path}`;
  } catch (cause) {
    throw new ServerFault(`${path} can't be copied to ${copyPath}: ${describeError(cause)}`, { cause });
  }
}
