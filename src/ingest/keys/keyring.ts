import { type Allowance, createAllowance } from "./allowance.ts";
import { createDigestLookup } from "../platform/digest.ts";
import { doAtOnce, doWithPauses, type Pieces } from "../platform/pieces.ts";
import { isHeaderValue } from "../contract/syntax.ts";
import { findOriginProblem } from "./find_origin_problem.ts";
import { type ClassifyEvents, createClassifyEvents, findDimensionsProblem } from "./classify_events.ts";
import { createFlagEvents, type FlagEvents, isLoopback } from "./flag_events.ts";
import { findSecretProblem } from "./find_secret_problem.ts";
import type { IngestKey } from "./ingest_key.ts";
import { createKeyBucket, type KeyBucket } from "./key_bucket.ts";
import { findOwnVisitsProblem } from "./own_visits.ts";
import { createTokenBucket, findRateLimitProblem, type TokenBucket } from "./token_bucket.ts";

/** A key with its defaults, and what the ingest remembers of it. */
export interface ResolvedKey extends IngestKey {
  /** Name for logs and counters. */
  readonly name: string;
  /** Its rate limit; absent without one. */
  readonly bucket: KeyBucket | undefined;
  /** The bytes that may be sent with it; absent without a limit. */
  readonly bytes: TokenBucket | undefined;
  /** Its pageviews. */
  readonly allowance: Allowance;
  /** Its site, where it has one alone; pages of one's own machine don't count beside it. */
  readonly site: string | undefined;
  /** Flags its events. */
  readonly flagEvents: FlagEvents;
  /** Gives its events the classes of their sender. */
  readonly classifyEvents: ClassifyEvents;
}

/** The keys that may send. */
export interface Keyring {
  /** Returns the name of every key. */
  names(): readonly string[];
  /** Returns the key, or undefined for an unknown or missing one. */
  find(apiKey: string | null): ResolvedKey | undefined;
  /** Returns the publishable key whose sending secret it is, or undefined. */
  findOfSecret(secret: string): Promise<string | undefined>;
  /**
   * Puts other keys in their place. Resolves when they are found. What stays as it was keeps its counts.
   *
   * @throws {TypeError} As {@linkcode createKeyring} does; the keys stay as they were.
   */
  replace(keys: readonly IngestKey[]): Promise<void>;
}

/** Bytes that may be sent with a key a second, where nothing else is said. */
const BYTES_PER_S = 10_000_000;

/** Seconds whose bytes may come at once. */
const BURST_S = 10;

/** Fewest characters of a sending secret: 32 hexadecimal digits that are random can't be guessed, however many try. */
const MIN_SENDING_SECRET_CHARACTERS = 32;

/**
 * Creates the lookup of keys. There may be none: with the last one revoked, nobody is to send.
 *
 * @throws {TypeError} For a key that could never match a request, or is listed twice.
 */
export function createKeyring(keys: readonly IngestKey[], now: () => number = Date.now): Keyring {
  let resolved: readonly ResolvedKey[] = doAtOnce(resolveKeys(keys)).map((key) => remember(key, undefined));
  // Keys are publishable: a lookup whose time says something of a guess tells nobody a secret.
  let byKey = new Map(listEntries(resolved));
  const secrets = createDigestLookup(listSecrets(resolved));

  function remember(key: NamedKey, last: ResolvedKey | undefined): ResolvedKey {
    const { rateLimit, bytesPerSecond = BYTES_PER_S, pageviewAllowance } = key;
    const areBytesKept = last !== undefined && (last.bytesPerSecond ?? BYTES_PER_S) === bytesPerSecond;
    const isLimitKept = JSON.stringify(last?.rateLimit) === JSON.stringify(rateLimit);
    const isAllowanceKept = last?.pageviewAllowance === pageviewAllowance;
    return {
      ...key,
      bucket: (isLimitKept ? last?.bucket : undefined) ?? (rateLimit && createKeyBucket(rateLimit, now)),
      bytes: areBytesKept ? last.bytes : createByteBucket(bytesPerSecond),
      allowance: (isAllowanceKept ? last?.allowance : undefined) ?? createAllowance(pageviewAllowance),
      site: findSite(key),
      flagEvents: createFlagEvents(key.ownVisits),
      classifyEvents: createClassifyEvents(key.dimensions),
    };
  }

  function createByteBucket(bytesPerSecond: number): TokenBucket | undefined {
    if (bytesPerSecond === Infinity) return undefined;
    return createTokenBucket({ requestsPerSecond: bytesPerSecond, burst: bytesPerSecond * BURST_S }, now);
  }

  return {
    names: () => resolved.map(({ name }) => name),
    find: (apiKey) => apiKey === null ? undefined : byKey.get(apiKey),
    findOfSecret: secrets.find,
    replace: async (others) => {
      const lastOf = new Map(resolved.map((key) => [key.apiKey, key]));
      const named = await doWithPauses(resolveKeys(others));
      const next = named.map((key) => remember(key, lastOf.get(key.apiKey)));
      const putSecrets = await secrets.prepare(listSecrets(next));
      putSecrets();
      byKey = new Map(listEntries(next));
      resolved = next;
    },
  };
}

function findSite({ origins }: IngestKey): string | undefined {
  if (origins === "any") return undefined;
  const sites = origins.filter((origin) => origin !== "null");
  const published = sites.filter((origin) => !isLoopback(origin));
  const [site, ...others] = published.length > 0 ? published : sites;
  return others.length === 0 ? site : undefined;
}

function listEntries(keys: readonly ResolvedKey[]): readonly (readonly [apiKey: string, key: ResolvedKey])[] {
  return keys.map((key) => [key.apiKey, key]);
}

/** Returns whether a page of this origin may send with the key. */
export function isRegistered(key: IngestKey, origin: string | null): boolean {
  if (key.origins === "any") return true;
  return origin !== null && key.origins.includes(origin);
}

/** A key with its name. */
export type NamedKey = IngestKey & Required<Pick<IngestKey, "name">>;

/**
 * Checks keys, a piece a key.
 *
 * @throws {TypeError} For a key that could never match a request, or is listed twice.
 */
export function* resolveKeys(keys: readonly IngestKey[]): Pieces<readonly NamedKey[]> {
  const apiKeys = new Set(keys.map(({ apiKey }) => apiKey));
  const seen = { apiKey: new Set<string>(), name: new Set<string>(), secret: new Set<string>() };
  const resolved: NamedKey[] = [];
  for (const [index, given] of keys.entries()) {
    const key = { ...given, name: given.name ?? `key-${index + 1}` };
    const twice = (["apiKey", "name"] as const).find((field) => seen[field].has(key[field]));
    const problem = findProblem(key) ?? (twice && `${twice} is listed twice`) ??
      (apiKeys.has(key.name) ? "name must not be a key: it is for logs" : undefined) ??
      findSendingProblem(key, { apiKeys, seen: seen.secret });
    if (problem !== undefined) throw new TypeError(`keys[${index}].${problem}`);
    seen.apiKey.add(key.apiKey);
    seen.name.add(key.name);
    resolved.push(key);
    yield;
  }
  return resolved;
}

function listSecrets(keys: readonly ResolvedKey[]): readonly (readonly [secret: string, apiKey: string])[] {
  return keys.flatMap(({ apiKey, sendingSecrets = {} }) =>
    Object.values(sendingSecrets).map((secret) => [secret, apiKey] as const)
  );
}

/** Texts that sending secrets must differ from. */
interface Taken {
  readonly apiKeys: ReadonlySet<string>;
  /** Sending secrets that came before; those of the key are added. */
  readonly seen: Set<string>;
}

function findSendingProblem({ sendingSecrets = {} }: IngestKey, { apiKeys, seen }: Taken): string | undefined {
  for (const [index, [name, secret]] of Object.entries(sendingSecrets).entries()) {
    const problem = (name === "" ? "must have a name" : undefined) ??
      findSecretProblem(secret, MIN_SENDING_SECRET_CHARACTERS) ??
      (apiKeys.has(secret) ? "must not be a publishable key" : undefined) ??
      (seen.has(secret) ? "is used twice" : undefined);
    // By its place: an operator who mixes name and secret up has the secret for a name.
    if (problem !== undefined) return `sendingSecrets[${index}] ${problem}`;
    seen.add(secret);
  }
}

// A typo here would refuse every request of a site, and only at run time. Messages hold no key.
function findProblem(
  { apiKey, name, origins, rateLimit, bytesPerSecond = BYTES_PER_S, pageviewAllowance = 0, ownVisits, dimensions = [] }:
    IngestKey,
): string | undefined {
  if (apiKey === "" || apiKey.trim() !== apiKey) return "apiKey must be a non-empty string without spaces";
  if (!isHeaderValue(apiKey)) return "apiKey must hold only characters that a header can";
  if (name === "") return "name must not be empty"; // metrics have that for requests without a key
  if (!(bytesPerSecond >= 1)) return "bytesPerSecond must be a number of at least 1";
  if (!(pageviewAllowance >= 0)) return "pageviewAllowance must be a number of at least 0";
  const limitProblem = rateLimit && findRateLimitProblem(rateLimit);
  if (limitProblem !== undefined) return `rateLimit.${limitProblem}`;
  const ownProblem = ownVisits && findOwnVisitsProblem(ownVisits);
  if (ownProblem !== undefined) return `ownVisits.${ownProblem}`;
  const dimensionsProblem = findDimensionsProblem(dimensions);
  if (dimensionsProblem !== undefined) return `dimensions ${dimensionsProblem}`;
  if (origins === "any") return undefined;
  if (origins.length === 0) return 'origins must name at least one origin, or be "any"';
  for (const [index, origin] of origins.entries()) {
    const problem = findOriginProblem(origin);
    if (problem !== undefined) return `origins[${index}] ${problem}`;
  }
}
