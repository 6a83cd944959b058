import { describeError } from "../describe_error.ts";
import { backUpSqlite } from "../sinks/sqlite/sqlite_backup.ts";
import { ServerFault } from "./server_fault.ts";

const USAGE = `Usage: ingest backup DATABASE COPY

Copies a SQLite database, the file of --sink sqlite:DATABASE, while servers write to it. COPY may be there: it gives way
once the new one is whole.`;

/**
 * Runs the command `backup`; returns what is to be printed.
 *
 * @throws {ServerFault} With what is wrong.
 */
export function runBackupCommand(args: readonly string[]): string {
  const [path, copyPath, ...others] = args;
  if (path === "--help" || path === "-h") return USAGE;
  if (path === undefined || copyPath === undefined || others.length > 0 || args.some((arg) => arg.startsWith("-"))) {
    throw new ServerFault("backup takes DATABASE COPY: see backup --help");
  }
  try {
    backUpSqlite(path, copyPath);
    return `${copyPath} is a copy of ${path}`;
  } catch (cause) {
    throw new ServerFault(`${path} can't be copied to ${copyPath}: ${describeError(cause)}`, { cause });
  }
}
