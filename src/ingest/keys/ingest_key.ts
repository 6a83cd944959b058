import type { OwnVisits } from "./own_visits.ts";
import type { RateLimit } from "./token_bucket.ts";

/** A publishable key and the sites that may use it. */
export interface IngestKey {
  // SPEC 5
  /** Value of the header `X-API-Key`. Non-empty. */
  readonly apiKey: string;
  /**
   * Name for logs and counters, which never hold the key itself.
   *
   * @default {its place in the list, `key-1`}
   */
  readonly name?: string;
  /**
   * Origins that may send with the key, as browsers serialize them: `https://shop.example`, without a path; of an
   * application `capacitor://localhost`. `"null"` stands for opaque origins such as sandboxed frames. `"any"` skips the
   * check, and admits senders that name no origin.
   */
  readonly origins: readonly string[] | "any";
  /**
   * Secrets of backends by their names, as `{ billing: "ss_…" }`. Whoever has one of them in the header `Authorization`,
   * as a Bearer token, may send with the key without an `Origin`; with one it is refused. At least 32 printable ASCII
   * characters without spaces, 6 of them different; no publishable key, no secret of reports, and of no other key.
   *
   * @default {none}
   */
  readonly sendingSecrets?: Readonly<Record<string, string>>;
  /**
   * Limit of the requests with the key; more are answered 429 with Retry-After.
   *
   * @default {no limit}
   */
  readonly rateLimit?: RateLimit;
  /**
   * Most bytes of bodies, decompressed, that may be sent with the key in a second of the long run; more are answered
   * 429 with Retry-After. Ten seconds' worth may come at once after a pause. At least 1, `Infinity` for no limit. The
   * default is some 15,000 events a second: no site's, but a bound to what a stranger writes on the disk.
   *
   * @default {10_000_000}
   */
  readonly bytesPerSecond?: number;
  // SPEC 1
  /**
   * Pageviews, full and aggregate, that the key's plan allows per month in UTC. What is past it is stored
   * and answered 202 all the same, and reported to `IngestOptions.onOutcome`. Where the sink keeps no count
   * (`StoreResult.pageviewsThisMonth`), as the one for JetStream, each process counts from its start.
   *
   * @default {no limit}
   */
  readonly pageviewAllowance?: number;
  /**
   * Visits of the site's own people, which the reports leave out.
   *
   * @default {none}
   */
  readonly ownVisits?: OwnVisits;
  /**
   * Classes of the sender that each full event of a page is stored with, for the reports: family and major version of the
   * `browser`, family of the `system`, `device` (phone, tablet or desktop), and `country`, where
   * {@linkcode IngestOptions.countryOf} knows it. They hold from then on. Name in your privacy notice what you turn on.
   *
   * @default {none}
   */
  readonly dimensions?: readonly ("browser" | "system" | "device" | "country")[];
}
