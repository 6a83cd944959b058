import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { describeError } from "../../platform/describe_error.ts";
import { isFile } from "../../stores/sqlite/sqlite_path.ts";
import { ServerFault } from "../ops/server_fault.ts";
import { checkKeys, type ServerKey } from "./keys_file.ts";
import type { Settings } from "./settings.ts";

/** The keys, and the secret that was found for the only one. */
export interface FileSecret {
  readonly keys: readonly ServerKey[];
  readonly secret: string;
  /** Path of the file that holds the secret. */
  readonly path: string;
  /** Whether this call made that file. */
  readonly isNew: boolean;
}

/** What is added to the name of the database. */
const SUFFIX = "-report-secret";

const SECRET_BYTES = 16;

/** Mode of the file: its owner's alone. */
const MODE = 0o600;

/**
 * Gives the only key the secret in the file beside the database, and makes that file when it is missing. Returns
 * undefined, and touches no file, where something else says who reads reports: a secret that was given, a keys file or
 * several keys; and where there is no database.
 *
 * @throws {ServerFault} When the file can't be used.
 */
export function addReportSecret({ keys, keysPath, sink }: Settings): FileSecret | undefined {
  const [only, ...others] = keys;
  if (only === undefined || others.length > 0 || keysPath !== undefined) return undefined;
  if (only.secretKey !== undefined || only.reportSecrets !== undefined) return undefined;
  if (sink.kind !== "sqlite" || !isFile(sink.path)) return undefined;
  const path = sink.path + SUFFIX;
  try {
    const isNew = makeFile(path);
    if (!isNew) chmodSync(path, MODE); // a copy may have another
    const secret = readFileSync(path, "utf8").trim();
    const withSecret = [{ ...only, secretKey: secret }];
    checkKeys(withSecret);
    return { keys: withSecret, secret, path, isNew };
  } catch (cause) {
    const reason = describeError(cause);
    throw new ServerFault(`the report secret in ${path} can't be used: ${reason}; remove the file for a new one`, {
      cause,
    });
  }
}

/** Returns what is shown once, of a new secret. */
export function describeReportSecret({ secret, path }: FileSecret): string {
  return `ingest: /reports opens with any user name and the password ${secret}\n` +
    `ingest: the password is shown this once, and kept in ${path}`;
}

/** Makes the file with a random secret; returns false, and leaves it, where there is one: another process may be first. */
function makeFile(path: string): boolean {
  try {
    writeFileSync(path, `sk_${randomBytes(SECRET_BYTES).toString("hex")}\n`, { flag: "wx", mode: MODE });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}
