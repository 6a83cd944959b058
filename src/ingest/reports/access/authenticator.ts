import { createDigestLookup } from "../../platform/digest.ts";
import { doAtOnce, type Pieces } from "../../platform/pieces.ts";
import { createTokenBucket, type TokenBucket } from "../../keys/token_bucket.ts";
import type { PathRules } from "../../events/path_rules.ts";
import { findSecretProblem } from "../../keys/find_secret_problem.ts";
import type { IngestKey } from "../../keys/ingest_key.ts";
import { toNetwork } from "../../contract/syntax.ts";
import type { Goals } from "../query/goals.ts";
import type { Note } from "../query/notes.ts";
import type { Problem } from "../query/query.ts";

/** A publishable key whose reports can be read, and the secrets that open them: one at least. */
export interface ReportKey extends Pick<IngestKey, "apiKey" | "origins" | "pageviewAllowance"> {
  /**
   * Secret key, which opens all: at least 16 printable ASCII characters without spaces, 6 of them different, of no other
   * key. Never goes into a page, a URL or a log.
   *
   * @default {none}
   */
  readonly secretKey?: string;
  /**
   * Further secrets by the names of those who have them, as `{ agency: { secret: "sk_…" } }`. To end one, leave it out.
   *
   * @default {none}
   */
  readonly reportSecrets?: Readonly<
    Record<string, {
      /** The secret: as `secretKey` of the key, and another one. */
      readonly secret: string;
      /**
       * Whether it opens what single people did as well, the view `person`.
       *
       * @default {false}
       */
      readonly mayReadPeople?: boolean;
    }>
  >;
  /**
   * Links to share, by names of your choice. To end one, leave it out.
   *
   * @default {none}
   */
  readonly sharedLinks?: Readonly<
    Record<string, {
      /** SHA-256 of what the link says in its parameter `share`, in hexadecimal digits. */
      readonly hash: string;
      /** Origin of the site that it opens. */
      readonly site: string;
      /** Names of the views that it opens, never `person` or `sites`; the first is the one that it leads to. */
      readonly views: readonly string[];
    }>
  >;
  /**
   * Rules by which paths are written before they are counted. They hold for the past as well.
   *
   * @default {as they are}
   */
  readonly pathRules?: Partial<PathRules>;
  /**
   * Origins that visitors are sent to and come back from, such as `https://pay.example`: who comes from there comes from
   * nowhere. It holds for the past as well, and for `www.` and `m.` of each.
   *
   * @default {none}
   */
  readonly ignoredReferrers?: readonly string[];
  /**
   * Time zone of the days, by its IANA name, unless a request names another.
   *
   * @default {"UTC"}
   */
  readonly zone?: string;
  /**
   * Day that weeks begin on.
   *
   * @default {"monday"}
   */
  readonly weekStart?: "monday" | "sunday" | "saturday";
  /**
   * Currency of the goals' values, by its ISO 4217 code, as `EUR`: the page writes it beside them.
   *
   * @default {none is written}
   */
  readonly currency?: string;
  /**
   * Goals by their names, as `{ Order: { step: "order", value: "total" } }`: at most 50. They hold for the past as well.
   *
   * @default {none}
   */
  readonly goals?: Goals;
  /**
   * Notes of what changed, which stand in the charts: at most 1,000.
   *
   * @default {none}
   */
  readonly notes?: readonly Note[];
}

/** A secret of somebody who reads reports. */
export type ReportSecret = NonNullable<ReportKey["reportSecrets"]>[string];

type SecretKey = Pick<IngestKey, "apiKey" | "sendingSecrets"> & Pick<ReportKey, "secretKey" | "reportSecrets">;

/** The rights of a secret. */
export interface ReportAccess {
  /** The key of the reports. */
  readonly key: ReportKey;
  /** Whether what single people did is open as well. */
  readonly mayReadPeople: boolean;
}

/** Says who may read reports. */
export interface Authenticator {
  /** Finds what the secret opens that the header `Authorization` carries, or says why that is nothing. */
  find(authorization: string | null, address: string | undefined): Promise<ReportAccess | Problem>;
}

/** Limits how often secrets can be tried. */
export interface GuessLimit {
  /** Takes one of the tries of an address and returns 0, or returns how many milliseconds to wait for one. */
  take(address: string): number;
  /** Gives a try back whose secret was right. */
  giveBack(address: string): void;
}

/** Fewest characters of a secret: what is shorter can be guessed. */
const MIN_SECRET_CHARACTERS = 16;

/** Wrong secrets that may come from an address at once. */
const BURST = 10;

/** Wrong secrets that may come from an address in the long run. */
const PER_MINUTE = 10;

/** Addresses that are remembered; past that, the one that was quiet for longest is forgotten. */
const MAX_ADDRESSES = 1000;

/** Those whose address isn't known share one. */
const UNKNOWN_ADDRESS = "";

const UNAUTHORIZED: Problem = {
  status: 401,
  code: "unauthorized",
  message: "send the secret key as the password of Basic credentials, with any user name, or as a Bearer token",
};

/** Says that a secret doesn't open what single people did. */
export const PEOPLE_REFUSED: Problem = {
  status: 403,
  code: "people_refused",
  message: "this secret doesn't open what single people did",
};

/**
 * Creates the check of secrets, with a limit for wrong ones. An address that has used its tries up isn't listened to
 * for a while, whatever it sends: else it could go on guessing. Addresses don't lock each other out, and where the
 * address isn't known, nobody is locked out of what the right secret opens.
 *
 * @throws {TypeError} When there is no key, one without a secret, or a secret that is weak, publishable or used twice. Holds
 * no secret.
 */
export function createAuthenticator(keys: readonly ReportKey[], now: () => number): Authenticator {
  if (keys.length === 0) throw new TypeError("keys must name at least one key");
  doAtOnce(checkSecrets(keys));
  const without = keys.findIndex((key) => listSecrets(key).length === 0);
  if (without >= 0) throw new TypeError(`keys[${without}] must have a secretKey, or reportSecrets`);
  const lookup = createDigestLookup(
    keys.flatMap((key) =>
      listSecrets(key).map(({ secret, mayReadPeople }): readonly [string, ReportAccess] => [
        secret,
        { key, mayReadPeople },
      ])
    ),
  );
  const limit = createGuessLimit(now);
  let last: Promise<unknown> = Promise.resolve();

  async function check(authorization: string, address: string): Promise<ReportAccess | Problem> {
    const waitMs = limit.take(address);
    if (waitMs > 0 && address !== UNKNOWN_ADDRESS) return buildLimited(waitMs);
    const access = await lookup.find(readSecret(authorization));
    if (access === undefined) return waitMs > 0 ? buildLimited(waitMs) : UNAUTHORIZED;
    if (waitMs === 0) limit.giveBack(address);
    return access;
  }

  return {
    find: (authorization, address = UNKNOWN_ADDRESS) => {
      // A browser's first request, which it makes to be asked for the secret, is no guess.
      if (!authorization) return Promise.resolve(UNAUTHORIZED);
      // One after the other: of many at a time each wrong one counts, and no right one.
      const found = last.then(() => check(authorization, address));
      last = found.catch(() => {}); // whoever asked hears of it
      return found;
    },
  };
}

function buildLimited(waitMs: number): Problem {
  const message = "too many wrong secret keys, try again later";
  return { status: 429, code: "rate_limited", message, retryAfterS: Math.ceil(waitMs / 1000) };
}

/** Creates the limit, in memory: a few hundred bytes for each address that tried a secret. */
function createGuessLimit(now: () => number): GuessLimit {
  const buckets = new Map<string, TokenBucket>();

  return {
    take: (address) => {
      const network = toNetwork(address);
      const bucket = buckets.get(network) ??
        createTokenBucket({ requestsPerSecond: PER_MINUTE / 60, burst: BURST }, now);
      // A map keeps the order of insertion: the first is the one not seen for longest.
      buckets.delete(network);
      buckets.set(network, bucket);
      const [quietest = network] = buckets.keys();
      if (buckets.size > MAX_ADDRESSES) buckets.delete(quietest);
      return bucket.take();
    },
    giveBack: (address) => buckets.get(toNetwork(address))?.giveBack(),
  };
}

/**
 * Checks the secrets that open reports, a piece a key. Some keys may have none.
 *
 * @throws {TypeError} When a secret is weak, publishable, a sending secret or used twice. Holds no secret.
 */
export function* checkSecrets(keys: readonly SecretKey[]): Pieces<void> {
  const apiKeys = new Set(keys.map(({ apiKey }) => apiKey));
  const sendingSecrets = new Set(keys.flatMap(({ sendingSecrets = {} }) => Object.values(sendingSecrets)));
  const seen = new Set<string>();
  for (const [index, key] of keys.entries()) {
    for (const { field, secret } of listSecrets(key)) {
      const problem = findSecretProblem(secret, MIN_SECRET_CHARACTERS) ??
        (apiKeys.has(secret) ? "must not be a publishable key" : undefined) ??
        (sendingSecrets.has(secret) ? "must not be a sending secret" : undefined) ??
        (seen.has(secret) ? "is used twice" : undefined);
      if (problem !== undefined) throw new TypeError(`keys[${index}].${field} ${problem}`);
      seen.add(secret);
    }
    yield;
  }
}

/** A secret of a key, by the field that has it. */
interface ListedSecret extends Required<ReportSecret> {
  readonly field: string;
}

/** Lists the secrets that open the reports of a key. */
export function listSecrets(
  { secretKey, reportSecrets = {} }: Pick<ReportKey, "secretKey" | "reportSecrets">,
): readonly ListedSecret[] {
  const own = secretKey === undefined ? [] : [{ field: "secretKey", secret: secretKey, mayReadPeople: true }];
  // By its place: a reader who mixes name and secret up has the secret for a name.
  const named = Object.values(reportSecrets).map(({ secret, mayReadPeople = false }, index) => ({
    field: `reportSecrets[${index}]`,
    secret,
    mayReadPeople,
  }));
  return [...own, ...named];
}

/**
 * Reads the secret that a request carries: as the password of Basic (RFC 7617), whatever the user name, or as the token
 * of Bearer (RFC 6750).
 */
function readSecret(authorization: string): string {
  const [, scheme = "", value = ""] = /^(Basic|Bearer) +([^ ]+) *$/i.exec(authorization) ?? [];
  return scheme.toLowerCase() === "basic" ? readPassword(value) : value;
}

function readPassword(base64: string): string {
  try {
    const credentials = atob(base64);
    const colon = credentials.indexOf(":");
    return colon < 0 ? "" : credentials.slice(colon + 1);
  } catch {
    // Not Base64, and so no password.
    return "";
  }
}
