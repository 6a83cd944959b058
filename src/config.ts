import type { ConsentState, InitConfig } from "./types.ts";

/** The service's ingest URL (a reserved name until the service has one). */
export const DEFAULT_ENDPOINT = "https://ingest.vendor.example/v1/events";

/** Most events that a request may carry (SPEC 8). */
export const MAX_BATCH_SIZE = 100;

const DEFAULT_BATCH_SIZE = 50;

/** Configuration after defaults. */
export interface ResolvedConfig extends Required<InitConfig> {
  /** Batch size in force: 1-100, fractions floored, 50 for what is no finite number (SPEC 8). */
  readonly maxEvents: number;
  /** Hash of endpoint and API key: keeps apart what is meant for different ones, and tells neither. */
  readonly account: string;
}

/** Returns whether the value is one of the three consent states (SPEC 2.3). */
export function isConsentState(value: unknown): value is ConsentState {
  return ["pending", "granted", "denied"].includes(value as ConsentState);
}

/**
 * Checks the configuration and fills in its defaults (SPEC 2.1). The only code of the client that throws.
 *
 * @throws {Error} One of the five errors of SPEC 7, in that order.
 */
export function resolveConfig(input: InitConfig): ResolvedConfig {
  const {
    apiKey,
    endpoint = DEFAULT_ENDPOINT,
    flushInterval,
    maxBatchSize = DEFAULT_BATCH_SIZE,
    trackPageviews = false,
    debug = false,
    consent = "granted",
  } = input ?? {};
  const check = (isValid: unknown, message: string): void => {
    if (!isValid) throw new Error(message);
  };
  check(typeof apiKey === "string" && apiKey.trim(), "Missing required configuration");
  const host = parseHost(endpoint);
  check(host, "Invalid endpoint URL");
  check(
    /^https:|^http:(localhost|127\.0\.0\.1|\[::1])$/.test(host),
    "Endpoint must use https:// (http:// allowed for localhost)",
  );
  check([true, false, "auto"].includes(trackPageviews), 'trackPageviews must be true, false, or "auto"');
  check(isConsentState(consent), 'consent must be "pending", "granted", or "denied"');
  const pair = `${endpoint} ${apiKey}`;
  let hash = 0;
  for (let i = 0; i < pair.length; i++) hash = Math.imul(hash ^ pair.charCodeAt(i), 16777619); // after FNV-1a
  return {
    account: `${hash}`,
    apiKey,
    endpoint,
    maxBatchSize,
    maxEvents: Number.isFinite(maxBatchSize)
      ? Math.floor(Math.min(MAX_BATCH_SIZE, Math.max(1, maxBatchSize)))
      : DEFAULT_BATCH_SIZE,
    trackPageviews,
    // What is no number, such as a symbol, would throw in the timer.
    flushInterval: typeof flushInterval === "number" ? flushInterval : 5000,
    debug,
    consent,
  };
}

/** Returns protocol and host name; empty where the parser that SPEC 2.1 asks for finds no URL. */
function parseHost(value: unknown): string {
  try {
    const { protocol, hostname } = new URL(value as string);
    return typeof value === "string" ? protocol + hostname : "";
  } catch {
    return "";
  }
}
