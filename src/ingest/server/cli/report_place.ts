/**
 * Where the commands of reports read, and whose.
 *
 * @module
 */
import * as v from "valibot";
import { NO_PATH_RULES } from "../../events/path_rules.ts";
import { listOwnOrigins } from "../../reports/asked.ts";
import type { DamagedFile, ReportReader } from "../../ports/reader.ts";
import { pickNotes } from "../../reports/query/notes.ts";
import { findNamedSite, findUsualSite, type Range } from "../../reports/query/query.ts";
import type { Comparison } from "../../reports/query/view_query.ts";
import type { Zone } from "../../reports/query/zones.ts";
import type { ViewRequest } from "../../reports/view/view.ts";
import { createClickHouseReader } from "../../stores/clickhouse/clickhouse_reader.ts";
import { openFileReader } from "../../stores/file/file_reader.ts";
import type { StorePlace } from "./store_place.ts";
import type { Flag, Values } from "./flags.ts";
import { readKeysFile, type ServerKey } from "./keys_file.ts";
import { ServerFault, UsageFault } from "../ops/server_fault.ts";

/** The key whose events are read, and the file with its settings. */
export const OF_KEY: { readonly key: Flag<string>; readonly "keys-file": Flag<string> } = {
  key: { value: "KEY", schema: v.string(), help: "publishable key that the events were sent with" },
  "keys-file": { value: "FILE", schema: v.string(), help: "JSON file with the keys, for the settings of this one" },
};

/** A key, and its settings where they are known. */
export interface KeySettings {
  readonly apiKey: string;
  /** Settings of the key; absent where it is in no keys file. */
  readonly key?: ServerKey;
}

/**
 * Reads the key, and its settings where there is a file.
 *
 * @throws {ServerFault} When there is none, or the file hasn't it.
 */
export function readKeySettings(
  { key: apiKey, "keys-file": path }: Pick<Values<typeof OF_KEY>, keyof typeof OF_KEY>,
): KeySettings {
  if (!apiKey) throw new ServerFault("there is no key: name one with --key KEY");
  const key = path ? readKeysFile(path).find((one) => one.apiKey === apiKey) : undefined;
  if (path && key === undefined) throw new ServerFault(`the keys file ${path} has no such key`);
  return { apiKey, ...(key && { key }) };
}

/** Listeners to a store that is read; see {@linkcode openFileReader}. */
interface ReaderListeners {
  readonly onError?: (error: Error) => void;
  readonly onWait?: (message: string) => void;
}

/** Opens the store for reading. */
export async function openReader(place: StorePlace, listeners: ReaderListeners = {}): Promise<ReportReader> {
  return place.kind === "file" ? openFileReader(place.path, listeners) : await createClickHouseReader(place.options);
}

/** Opens the store for a command that ends with its report: it waits for the first count, and says so. */
export async function openPatiently(place: StorePlace): Promise<ReportReader> {
  return await openReader(place, { onWait: (message) => console.error(`ingest: ${message}`) });
}

/**
 * Ends a command that has done the rest.
 *
 * @throws {Error} Where there are files that can't be read; names each.
 */
export function checkDamaged(damaged: readonly DamagedFile[]): void {
  if (damaged.length > 0) throw new Error(damaged.map(({ message }) => message).join("; "));
}

/** A report that a command makes. */
export interface AskedReport extends KeySettings {
  /** Origin of the site; the one with the most events where it's absent. */
  readonly site?: string;
  /** First and last day. */
  readonly range: Range;
  /** Their zone. */
  readonly zone: Zone;
  /** Period beside them. */
  readonly compare: Comparison;
}

/**
 * Finds the site, and builds what a view is asked for, of people.
 *
 * @throws {UsageFault} When there is no such site.
 */
export async function readReportRequest(
  reader: ReportReader,
  { apiKey, key, site, range, zone, compare }: AskedReport,
): Promise<ViewRequest> {
  const sites = await reader.sites(apiKey);
  const origins = key === undefined || key.origins === "any" ? [] : key.origins;
  const stored = origins.length === 0 ? sites : sites.filter((one) => origins.includes(one));
  const chosen = site === undefined
    ? await findUsualSite(stored, () => stored)
    : await findSite(reader, { apiKey, site, stored, origins });
  if (chosen === undefined) {
    throw new ServerFault("no event of a site was ever stored under this key: is it the right one?");
  }
  return {
    apiKey,
    site: chosen,
    ...range,
    zone,
    compare,
    traffic: "people",
    filters: [],
    ownOrigins: listOwnOrigins({ origins, ...key?.ignoredReferrers && { ignoredReferrers: key.ignoredReferrers } }),
    pathRules: { ...NO_PATH_RULES, ...key?.pathRules },
    goals: key?.goals ?? {},
    notes: pickNotes(key?.notes ?? [], { ...range, site: chosen }),
    allowance: null,
    sites: () => Promise.resolve([]),
  };
}

interface NamedSite {
  readonly apiKey: string;
  readonly site: string;
  /** Sites that have events. */
  readonly stored: readonly string[];
  /** Sites of the key; none where they aren't known. */
  readonly origins: readonly string[];
}

/** Finds the site that was named: mail about one that isn't there would have nothing but zeros, each week. */
async function findSite(
  reader: ReportReader,
  { apiKey, site, stored, origins }: NamedSite,
): Promise<string> {
  const found = findNamedSite(site, [...stored, ...origins]);
  if (found !== undefined) return found;
  // The list has the largest sites alone.
  if (origins.length === 0 && await reader.lastTime({ apiKey, site }) !== undefined) return site;
  throw new UsageFault(`there is no site ${site}; there are events of ${stored.join(", ") || "none"}`);
}
