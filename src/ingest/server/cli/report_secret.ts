import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, readFileSync, writeFileSync } from "node:fs";
import { describeError } from "../../platform/describe_error.ts";
import { pause } from "../../platform/sqlite_lock.ts";
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

/** Returns the path of the file with the report secret of a folder of events: beside it. */
function toReportSecretPath(path: string): string {
  return `${path.replace(/(?<=[^/])\/+$/, "")}-report-secret`;
}

const SECRET_BYTES = 16;

/** Mode of the file: its owner's alone. */
const MODE = 0o600;

/** Most milliseconds that another process may take to write the file that it has made, and those between two looks. */
const [WRITE_LIMIT_MS, WRITE_LOOK_MS] = [1000, 10] as const;

/**
 * Gives the only key the secret in the file beside the folder of events, and makes that file when it is missing. Returns
 * undefined, and touches no file, where something else says who reads reports: a secret that was given, a keys file or
 * several keys; and where there is neither.
 *
 * @throws {ServerFault} When the file can't be used.
 */
export function addReportSecret({ keys, keysPath, sink }: Settings): FileSecret | undefined {
  const [only, ...others] = keys;
  if (only === undefined || others.length > 0 || keysPath !== undefined) return undefined;
  if (only.secretKey !== undefined || only.reportSecrets !== undefined) return undefined;
  if (sink.kind !== "file") return undefined;
  const path = toReportSecretPath(sink.path);
  try {
    const isNew = makeFile(path);
    if (!isNew) keepPrivate(path);
    const secret = readSecret(path);
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

/** Gives the file its mode, where a copy has another; what a link leads to is somebody else's matter. */
function keepPrivate(path: string): void {
  const stat = lstatSync(path);
  if (stat.isFile() && (stat.mode & 0o777) !== MODE) chmodSync(path, MODE);
}

/** Reads the secret. Another process may have made the file this moment, and not have written it yet. */
function readSecret(path: string): string {
  const endMs = performance.now() + WRITE_LIMIT_MS;
  let text = readFileSync(path, "utf8");
  while (text === "" && performance.now() < endMs) {
    pause(WRITE_LOOK_MS);
    text = readFileSync(path, "utf8");
  }
  return text.trim();
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
