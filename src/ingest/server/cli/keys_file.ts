import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import * as v from "valibot";
import { isObject } from "../../contract/values.ts";
import { findPatternProblem } from "../../events/path_rules.ts";
import { describeError } from "../../platform/describe_error.ts";
import type { PathRules } from "../../events/path_rules.ts";
import { doAtOnce, doWithPauses, type Pieces } from "../../platform/pieces.ts";
import { DIMENSION_NAMES } from "../../keys/classify_events.ts";
import { resolveKeys } from "../../keys/keyring.ts";
import type { IngestKey } from "../../keys/ingest_key.ts";
import { checkSecrets, type ReportSecret } from "../../reports/access/authenticator.ts";
import { checkReportKeys } from "../../reports/query/check_report_keys.ts";
import { WEEK_STARTS, type WeekStart } from "../../reports/query/days.ts";
import type { Goals } from "../../reports/query/goals.ts";
import { checkLinks, type SharedLink } from "../../reports/access/sharing.ts";
import { SHARED_VIEWS } from "../../reports/views/registry.ts";
import { type AlertRule, findAlertProblem, isWebhook, WEBHOOK_RULE } from "../../reports/alerts.ts";
import type { Note } from "../../reports/query/notes.ts";
import { syncDirectory } from "../../platform/sync_directory.ts";
import { pause } from "../../platform/sqlite_lock.ts";
import { ServerFault } from "../ops/server_fault.ts";
import { findTarget } from "./target_file.ts";

/** A key of the server. */
export interface ServerKey extends IngestKey {
  /** Opens the reports of the key. */
  readonly secretKey?: string;
  /** Secrets of others who read them. */
  readonly reportSecrets?: Readonly<Record<string, ReportSecret>>;
  /** Links to share. */
  readonly sharedLinks?: Readonly<Record<string, SharedLink>>;
  /** Rules by which the reports write paths. */
  readonly pathRules?: Partial<PathRules>;
  /** Origins that the reports take for no source. */
  readonly ignoredReferrers?: readonly string[];
  /** Time zone of the reports' days. */
  readonly zone?: string;
  /** Day that their weeks begin on. */
  readonly weekStart?: WeekStart;
  /** Currency of the goals' values. */
  readonly currency?: string;
  /** Goals of the reports. */
  readonly goals?: Goals;
  /** Notes in the charts of the reports. */
  readonly notes?: readonly Note[];
  /** Which changes are alerts. */
  readonly alerts?: readonly AlertRule[];
  /** Address that the server tells of alerts. */
  readonly alertWebhook?: string;
}

/** A key of a keys file. */
export interface FileKey extends ServerKey {
  /** Name for logs, counters and its revocation. */
  readonly name: string;
  /** When it was revoked, in ISO 8601: it opens nothing any more. */
  readonly revokedAt?: string;
}

const ORIGINS_RULE = 'must have origins, a list or "any"';

/** Takes values by any names, which `v.record()` doesn't: it leaves out "constructor", "prototype" and "__proto__". */
function byName<T>(schema: v.GenericSchema<unknown, T>): v.GenericSchema<unknown, Record<string, T>> {
  return v.pipe(
    v.custom<object>(isObject),
    v.transform((values) => new Map(Object.entries(values))),
    v.map(v.string(), schema),
    v.transform((values) => Object.fromEntries(values)),
  );
}

const KEY_FIELDS = {
  apiKey: v.string("must have an apiKey"),
  name: v.exactOptional(v.string("has a name that is no string")),
  origins: v.union([v.literal("any"), v.array(v.string())], ORIGINS_RULE),
  rateLimit: v.exactOptional(v.message(
    v.strictObject({ requestsPerSecond: v.number(), burst: v.exactOptional(v.number()) }),
    "has a rateLimit that isn't requestsPerSecond, and burst if any",
  )),
  bytesPerSecond: v.exactOptional(v.number("has a bytesPerSecond that is no number")),
  pageviewAllowance: v.exactOptional(v.number("has a pageviewAllowance that is no number")),
  secretKey: v.exactOptional(v.string("has a secretKey that is no string")),
  reportSecrets: v.exactOptional(v.message(
    byName(v.strictObject({ secret: v.string(), mayReadPeople: v.exactOptional(v.boolean()) })),
    "has reportSecrets that aren't secret, and mayReadPeople if any, by their names",
  )),
  sharedLinks: v.exactOptional(v.message(
    byName(v.strictObject({ hash: v.string(), site: v.string(), views: v.array(v.string()) })),
    "has sharedLinks that aren't hash, site and views by their names",
  )),
  sendingSecrets: v.exactOptional(v.custom<Readonly<Record<string, string>>>(
    (value) => isObject(value) && Object.values(value).every((secret) => typeof secret === "string"),
    "has sendingSecrets that aren't secrets by their names",
  )),
  ownVisits: v.exactOptional(v.message(
    v.strictObject({
      addresses: v.exactOptional(v.array(v.string())),
      visitors: v.exactOptional(v.array(v.string())),
      users: v.exactOptional(v.array(v.string())),
      paths: v.exactOptional(v.array(v.string())),
    }),
    "has ownVisits that aren't addresses, visitors, users and paths, each a list of texts",
  )),
  dimensions: v.exactOptional(v.message(
    v.array(v.picklist(DIMENSION_NAMES)),
    `has dimensions that aren't some of ${DIMENSION_NAMES.join(", ")}`,
  )),
  pathRules: v.exactOptional(v.message(
    v.strictObject({
      patterns: v.exactOptional(
        v.array(v.pipe(v.string(), v.check((pattern) => findPatternProblem(pattern) === undefined))),
      ),
      dropsTrailingSlash: v.exactOptional(v.boolean()),
      ignoresCase: v.exactOptional(v.boolean()),
    }),
    "has pathRules that aren't patterns, each with a slash at its start, dropsTrailingSlash and ignoresCase",
  )),
  ignoredReferrers: v.exactOptional(v.message(
    v.array(v.string()),
    "has ignoredReferrers that aren't a list of texts",
  )),
  zone: v.exactOptional(v.string("has a zone that is no text")),
  weekStart: v.exactOptional(v.picklist(WEEK_STARTS, `has a weekStart that is none of ${WEEK_STARTS.join(", ")}`)),
  currency: v.exactOptional(v.string("has a currency that is no text")),
  goals: v.exactOptional(v.message(
    byName(
      v.union([
        v.strictObject({ page: v.string(), value: v.exactOptional(v.number()) }),
        v.strictObject({
          step: v.string(),
          property: v.exactOptional(
            v.strictObject({ key: v.string(), value: v.nullable(v.union([v.string(), v.number(), v.boolean()])) }),
          ),
          value: v.exactOptional(v.union([v.number(), v.string()])),
        }),
      ]),
    ),
    "has goals that aren't page or step, property and value by their names",
  )),
  notes: v.exactOptional(v.message(
    v.array(v.strictObject({ day: v.string(), text: v.string(), site: v.exactOptional(v.string()) })),
    "has notes that aren't a list of day, text, and site if any",
  )),
  alerts: v.exactOptional(v.message(
    v.array(v.strictObject({
      figure: v.string(),
      change: v.exactOptional(v.picklist(["falls", "rises"])),
      by: v.exactOptional(v.number()),
      atLeast: v.exactOptional(v.number()),
    })),
    "has alerts that aren't a list of figure, change, by and atLeast",
  )),
  alertWebhook: v.exactOptional(v.string("has an alertWebhook that is no text")),
} as const;

/** A key of the config file; its messages continue `keys[0] in the config file`. */
export const CONFIG_KEY: v.GenericSchema<unknown, ServerKey> = v.strictObject(KEY_FIELDS, describeFieldFault);

/** A key of a keys file. */
const FILE_KEY = v.strictObject({
  ...KEY_FIELDS,
  name: v.string("must have a name"),
  revokedAt: v.exactOptional(v.pipe(v.string(), v.isoTimestamp("has a revokedAt that is no ISO time"))),
}, describeFieldFault);

/** A keys file, before its keys are checked. */
const KEYS_FILE = v.strictObject({ keys: v.array(v.unknown()) });

/** Most milliseconds that an overtaken change waits before it is made anew, at first and in the end. */
const [FIRST_PAUSE_MS, LAST_PAUSE_MS] = [20, 1280] as const;

/** The part of a draft's name behind the name of the file. */
const DRAFT_SUFFIX = /^\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.new$/;

/** Mode of a new file: it holds secrets. */
const NEW_FILE_MODE = 0o600;

const INDENT = 2;

/**
 * Reads a keys file, and checks it. Quotes nothing of it.
 *
 * @throws {ServerFault} For a file that can't be read, or holds something else.
 */
export function readKeysFile(path: string): readonly FileKey[] {
  return doAtOnce(readInPieces(path));
}

/** Does the same with pauses: thousands of keys take a tenth of a second, and requests don't wait for it. */
export function readKeysFileInTurns(path: string): Promise<readonly FileKey[]> {
  return doWithPauses(readInPieces(path));
}

function* readInPieces(path: string): Pieces<readonly FileKey[]> {
  try {
    const file = v.safeParse(KEYS_FILE, JSON.parse(readFileSync(path, "utf8").trim()));
    if (!file.success) throw new ServerFault('it must be an object with keys, a list: {"keys":[…]}');
    const keys: FileKey[] = [];
    for (const [index, given] of file.output.keys.entries()) {
      const key = v.safeParse(FILE_KEY, given);
      if (!key.success) throw new ServerFault(`keys[${index}] ${describeIssues(key.issues)}`);
      keys.push(key.output);
      yield;
    }
    yield* checkInPieces(keys);
    return keys;
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
 * @param change Is called again with the newer keys when another change came first.
 * @throws {ServerFault} For a file that can't be read or written, and for keys that can't be.
 */
export function changeKeysFile(path: string, change: (keys: readonly FileKey[]) => readonly FileKey[]): void {
  try {
    for (let pauseMs = FIRST_PAUSE_MS; !tryToChange(path, change); pauseMs *= 2) {
      if (pauseMs > LAST_PAUSE_MS) throw new ServerFault(`another process is changing ${path}: try it again`);
      pause(Math.random() * pauseMs);
    }
  } catch (cause) {
    if (cause instanceof ServerFault) throw cause;
    throw new ServerFault(`${path} can't be written: ${describeError(cause)}`, { cause });
  }
}

/**
 * Writes a draft, and renames it; returns false, and leaves the file, where another change came in between. Each change
 * removes all other drafts before it reads the file, and nobody can rename one that is gone: so none replaces what it
 * hasn't read, however long it is stopped, and what a killed process left goes.
 */
function tryToChange(path: string, change: (keys: readonly FileKey[]) => readonly FileKey[]): boolean {
  const target = findTarget(path, []);
  const [folder, name] = [dirname(target), basename(target)];
  const draft = `${target}.${crypto.randomUUID()}.new`;
  const file = openSync(draft, "wx", NEW_FILE_MODE);
  try {
    for (const other of readdirSync(folder)) {
      const isDraft = other.startsWith(name) && DRAFT_SUFFIX.test(other.slice(name.length));
      if (isDraft && other !== basename(draft)) rmSync(join(folder, other), { force: true });
    }
    const old = statSync(target, { throwIfNoEntry: false });
    const keys = change(old === undefined ? [] : readKeysFile(path));
    checkKeys(keys);
    // Root may write it for a server that has another user.
    if (old !== undefined) fchownSync(file, old.uid, old.gid);
    fchmodSync(file, old?.mode ?? NEW_FILE_MODE);
    writeFileSync(file, `${JSON.stringify({ keys }, null, INDENT)}\n`);
    fsyncSync(file);
    renameSync(draft, target);
    syncDirectory(folder);
    return true;
  } catch (cause) {
    if (!existsSync(draft)) return false;
    throw cause;
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
}

/**
 * Checks keys and their secrets.
 *
 * @throws {ServerFault} With what is wrong. Never repeats a key.
 */
export function checkKeys(keys: readonly ServerKey[]): void {
  doAtOnce(checkInPieces(keys));
}

function* checkInPieces(keys: readonly ServerKey[]): Pieces<void> {
  try {
    yield* resolveKeys(keys);
    yield* checkSecrets(keys);
    checkReportKeys(keys);
    checkLinks(keys, SHARED_VIEWS);
    checkAlerts(keys);
  } catch (cause) {
    throw new ServerFault(describeError(cause), { cause });
  }
}

function checkAlerts(keys: readonly ServerKey[]): void {
  for (const [index, { alerts = [], goals = {}, alertWebhook }] of keys.entries()) {
    const problem = findAlertProblem(alerts, Object.keys(goals));
    if (problem !== undefined) throw new TypeError(`keys[${index}].alerts ${problem}`);
    if (alertWebhook !== undefined && !isWebhook(alertWebhook)) {
      throw new TypeError(`keys[${index}].alertWebhook ${WEBHOOK_RULE}`);
    }
  }
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
  return (others.find(({ expected }) => expected === "never") ?? first).message;
}
