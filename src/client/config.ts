import { DEFAULT_BATCH_SIZE, MAX_BATCH_SIZE } from "./base/limits.ts";
import type { ConsentState, InitConfig } from "./base/types.ts";
import { normalizeUrl } from "./base/url.ts";

/** The service's ingest URL (a reserved name until the service has one). */
export const DEFAULT_ENDPOINT = "https://ingest.vendor.example/v1/events";

/** Message for another value than the three (SPEC 7). */
export const INVALID_CONSENT = 'consent must be "pending", "granted", or "denied"';

/** Configuration after defaults. */
export interface ResolvedConfig extends Required<InitConfig> {
  /** Batch size in force: 1-100, fractions floored, 50 for what is no number (SPEC 8). */
  readonly maxEvents: number;
  /** Hash of endpoint and API key: keeps apart what is meant for different ones, and tells neither. */
  readonly account: string;
}

/** Returns whether the value is one of the three consent states (SPEC 2.3). */
export function isConsentState(value: unknown): value is ConsentState {
  return ["pending", "granted", "denied"].includes(value as ConsentState);
}

/**
 * Checks the configuration and fills in its defaults (SPEC 2.1). The only code that throws into the application.
 *
 * @throws {Error} One of the five errors of SPEC 7, in that order.
 */
export const resolveConfig: (input: InitConfig) => ResolvedConfig = ((input) => {
  const {
    apiKey,
    endpoint = DEFAULT_ENDPOINT,
    flushInterval = 5000,
    maxBatchSize = DEFAULT_BATCH_SIZE,
    trackPageviews = false,
    debug = false,
    consent = "granted",
  } = { __proto__: null, ...input } as InitConfig; // own members alone
  const check = (isValid: unknown, message: string): void => {
    if (!isValid) throw new Error(message);
  };
  check(typeof apiKey === "string" && apiKey.trim(), "Missing required configuration");
  const url = normalizeUrl(endpoint);
  check(url && typeof endpoint === "string", "Invalid endpoint URL");
  check(
    /^https:|^http:\/\/([^/]*@)?(localhost|127\.0\.0\.1|\[::1])(:\d+)?\//.test(`${url}`),
    "Endpoint must use https:// (http:// allowed for localhost)",
  );
  check([true, false, "auto"].includes(trackPageviews), 'trackPageviews must be true, false, or "auto"');
  check(isConsentState(consent), INVALID_CONSENT);
  let hash = 0; // of 32 bits: a page has few accounts
  for (const char of `${endpoint} ${apiKey}`) hash = (hash * 99991 + char.charCodeAt(0)) | 0;
  return {
    account: `${hash}`,
    apiKey,
    endpoint,
    maxBatchSize,
    maxEvents: typeof maxBatchSize === "number" && Math.min(Math.max(1, maxBatchSize), MAX_BATCH_SIZE) | 0 ||
      DEFAULT_BATCH_SIZE,
    trackPageviews,
    flushInterval,
    debug,
    consent,
  };
}) satisfies typeof resolveConfig;
