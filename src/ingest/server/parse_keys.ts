import { isObject } from "../contract/is_object.ts";
import { createKeyring } from "../keys/keyring.ts";
import { createSecretKeys } from "../reports/secret_keys.ts";
import type { RateLimit } from "../keys/token_bucket.ts";
import { describeError } from "./describe_error.ts";
import type { Values } from "./read_values.ts";
import { ServerFault } from "./server_fault.ts";
import { listReportKeys, type ServerKey } from "./settings.ts";

const FIELDS: readonly string[] = ["apiKey", "name", "origins", "rateLimit", "pageviewAllowance", "secretKey"];

const RATE_LIMIT_FIELDS: readonly string[] = ["requestsPerSecond", "burst"];

/**
 * Reads the keys: `KEY=https://a.example,https://b.example` or `KEY=any`, and objects of the config file.
 *
 * @throws {ServerFault} With what is wrong. Never repeats a key.
 */
export function parseKeys(values: Values): readonly ServerKey[] {
  const keys = readKeys(values);
  try {
    createKeyring(keys);
    const reportKeys = listReportKeys(keys);
    if (reportKeys.length > 0) createSecretKeys(reportKeys);
  } catch (cause) {
    throw new ServerFault(describeError(cause), { cause });
  }
  return keys;
}

function readKeys(values: Values): readonly ServerKey[] {
  const keys = [...values.keys.map(parseKey), ...(values.keys.length > 0 ? [] : values.fileKeys.map(parseFileKey))];
  if (keys.length === 0) throw new ServerFault("there is no key: give one with --key KEY=SITES, see --help");
  const secretKey = values.text("report-secret");
  if (secretKey === undefined) return keys;
  const [only, ...others] = keys;
  if (only === undefined || others.length > 0) {
    throw new ServerFault("a report secret is for one key: with several, give each its secretKey in the config file");
  }
  return [{ ...only, secretKey }];
}

function parseKey(text: string, index: number): ServerKey {
  // A key may hold an equals sign, an origin doesn't.
  const at = text.lastIndexOf("=");
  const sites = text.slice(at + 1);
  if (at < 1 || sites === "") {
    throw new ServerFault(`key ${index + 1} must be KEY=SITES, such as pk_1=https://shop.example`);
  }
  return { apiKey: text.slice(0, at), origins: sites === "any" ? "any" : sites.split(",") };
}

function parseFileKey(value: unknown, index: number): ServerKey {
  const fault = (rule: string): ServerFault => new ServerFault(`keys[${index}] in the config file ${rule}`);
  if (!isObject(value)) throw fault("must be an object");
  const stranger = findStranger(value, FIELDS);
  if (stranger !== undefined) throw fault(`has an unknown field ${stranger}`);
  const { apiKey, name, origins, rateLimit, pageviewAllowance, secretKey } = value;
  if (typeof apiKey !== "string") throw fault("must have an apiKey");
  if (origins !== "any" && !isTexts(origins)) throw fault('must have origins, a list or "any"');
  if (name !== undefined && typeof name !== "string") throw fault("has a name that is no string");
  if (secretKey !== undefined && typeof secretKey !== "string") throw fault("has a secretKey that is no string");
  if (pageviewAllowance !== undefined && typeof pageviewAllowance !== "number") {
    throw fault("has a pageviewAllowance that is no number");
  }
  if (rateLimit !== undefined && !isRateLimit(rateLimit)) {
    throw fault("has a rateLimit that isn't requestsPerSecond, and burst if any");
  }
  return {
    apiKey,
    origins,
    ...(name !== undefined && { name }),
    ...(rateLimit !== undefined && { rateLimit }),
    ...(pageviewAllowance !== undefined && { pageviewAllowance }),
    ...(secretKey !== undefined && { secretKey }),
  };
}

function isRateLimit(value: unknown): value is RateLimit {
  if (!isObject(value) || findStranger(value, RATE_LIMIT_FIELDS) !== undefined) return false;
  const { requestsPerSecond, burst } = value;
  return typeof requestsPerSecond === "number" && (burst === undefined || typeof burst === "number");
}

function findStranger(value: Readonly<Record<string, unknown>>, known: readonly string[]): string | undefined {
  return Object.keys(value).find((name) => !known.includes(name));
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
