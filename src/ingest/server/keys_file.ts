import { closeSync, fchmodSync, fchownSync, fsyncSync, openSync, readFileSync, realpathSync } from "node:fs";
import { renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import * as v from "valibot";
import { describeError } from "../describe_error.ts";
import { createKeyring } from "../keys/keyring.ts";
import type { IngestKey } from "../options.ts";
import { checkSecrets } from "../reports/authenticator.ts";
import { ServerFault } from "./server_fault.ts";

/** A key of the server. */
export interface ServerKey extends IngestKey {
  /** Opens the reports of the key; there are none without. */
  readonly secretKey?: string;
}

/** A key of a keys file. */
export interface FileKey extends ServerKey {
  /** Name for logs, counters and whoever revokes it. */
  readonly name: string;
  /** When it was revoked, in ISO 8601: it opens nothing any more. */
  readonly revokedAt?: string;
}

const ORIGINS_RULE = 'must have origins, a list or "any"';

const KEY_FIELDS = {
  apiKey: v.string("must have an apiKey"),
  name: v.exactOptional(v.string("has a name that is no string")),
  origins: v.union([v.literal("any"), v.array(v.string())], ORIGINS_RULE),
  rateLimit: v.exactOptional(v.message(
    v.strictObject({ requestsPerSecond: v.number(), burst: v.exactOptional(v.number()) }),
    "has a rateLimit that isn't requestsPerSecond, and burst if any",
  )),
  pageviewAllowance: v.exactOptional(v.number("has a pageviewAllowance that is no number")),
  secretKey: v.exactOptional(v.string("has a secretKey that is no string")),
} as const;

/** A key of the config file; its messages continue `keys[0] in the config file`. */
export const CONFIG_KEY: v.GenericSchema<unknown, ServerKey> = v.strictObject(KEY_FIELDS, describeFieldFault);

/** A keys file. */
const KEYS_FILE = v.strictObject({
  keys: v.array(v.strictObject({
    ...KEY_FIELDS,
    name: v.string("must have a name"),
    revokedAt: v.exactOptional(v.pipe(v.string(), v.isoTimestamp("has a revokedAt that is no ISO time"))),
  }, describeFieldFault)),
});

/** Mode of a new file: it holds secrets. */
const NEW_FILE_MODE = 0o600;

const INDENT = 2;

/**
 * Reads a keys file, and checks it. Quotes nothing of it.
 *
 * @throws {ServerFault} For a file that can't be read, or holds something else.
 */
export function readKeysFile(path: string): readonly FileKey[] {
  try {
    const result = v.safeParse(KEYS_FILE, JSON.parse(readFileSync(path, "utf8")));
    if (!result.success) throw new ServerFault(describeIssues(result.issues));
    checkKeys(result.output.keys);
    return result.output.keys;
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? "it isn't JSON" : describeError(cause);
    throw new ServerFault(`the keys file ${path} can't be used: ${reason}`, { cause });
  }
}

/** Returns the keys that weren't revoked. */
export function listActiveKeys(keys: readonly FileKey[]): readonly ServerKey[] {
  return keys.filter(({ revokedAt }) => revokedAt === undefined);
}

/**
 * Changes a keys file, or makes one. Whoever reads it meanwhile finds all of the old one, or all of the new.
 *
 * @throws {ServerFault} For a file that can't be read or written, and for keys that can't be.
 */
export function changeKeysFile(path: string, change: (keys: readonly FileKey[]) => readonly FileKey[]): void {
  const target = findFile(path)?.path ?? path;
  const newPath = `${target}.new`;
  const file = createNew(newPath);
  try {
    // Only now: another one may have made it meanwhile.
    const old = findFile(path);
    const keys = change(old === undefined ? [] : readKeysFile(path));
    checkKeys(keys);
    // Root may write it for a server that has another user.
    if (old !== undefined) fchownSync(file, old.uid, old.gid);
    fchmodSync(file, old?.mode ?? NEW_FILE_MODE);
    writeFileSync(file, `${JSON.stringify({ keys }, null, INDENT)}\n`);
    fsyncSync(file);
    renameSync(newPath, target);
  } catch (cause) {
    unlinkSync(newPath);
    throw cause instanceof ServerFault ? cause : buildFault(path, cause);
  } finally {
    closeSync(file);
  }
}

/**
 * Checks keys and their secrets.
 *
 * @throws {ServerFault} With what is wrong. Never repeats a key.
 */
export function checkKeys(keys: readonly ServerKey[]): void {
  try {
    createKeyring(keys);
    checkSecrets(keys);
  } catch (cause) {
    throw new ServerFault(describeError(cause), { cause });
  }
}

/** What is to stay as it is. */
interface OldFile {
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

function findFile(link: string): OldFile | undefined {
  try {
    const path = realpathSync(link);
    const { mode, uid, gid } = statSync(path);
    return { path, mode, uid, gid };
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw buildFault(link, cause);
  }
}

/** Creates the file that is to take the other one's place. As long as it's there, nobody else changes that. */
function createNew(path: string): number {
  try {
    return openSync(path, "wx", NEW_FILE_MODE);
  } catch (cause) {
    const isThere = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    if (!isThere) throw buildFault(path, cause);
    throw new ServerFault(`${path} exists: another one is changing the keys; remove it if that has ended`, { cause });
  }
}

function buildFault(path: string, cause: unknown): ServerFault {
  return new ServerFault(`${path} can't be written: ${describeError(cause)}`, { cause });
}

function describeFieldFault(
  { expected, path }: v.StrictObjectIssue,
): string {
  if (path === undefined) return "must be an object";
  if (expected === "never") return `has an unknown field ${path[0]?.key}`;
  if (expected === '"origins"') return ORIGINS_RULE;
  return expected === '"name"' ? "must have a name" : "must have an apiKey";
}

function describeIssues([first, ...others]: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): string {
  // A misspelt field is unknown, and makes one missing: the name as it was written says more.
  const { path, message } = others.find(({ expected }) => expected === "never") ?? first;
  const [field, index] = path?.map(({ key }) => key) ?? [];
  if (field === "keys" && index !== undefined) return `keys[${index}] ${message}`;
  return 'it must be an object with keys, a list: {"keys":[…]}';
}
