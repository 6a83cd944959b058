/**
 * The checks that need nothing of the body, in the order in which they are asked.
 *
 * @module
 */
import { isRegistered, type ResolvedKey } from "../keys/keyring.ts";
import { buildMalformed, buildRefusal, type Refusal } from "./refusal.ts";

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

const ENCODING = /^(?:identity|(?:x-)?gzip)?$/i;

/** The refusal of a key that nobody knows (SPEC 5). */
export const UNKNOWN_KEY: Refusal = buildRefusal("unknown_key", "header X-API-Key must carry a known key");

/** The refusal of a method that sends no events (SPEC 4.1). */
export const METHOD_NOT_ALLOWED: Refusal = buildRefusal("method_not_allowed", "events are sent with POST");

/** Refuses another path or method. */
export function checkRoute(request: Request, path: string): Refusal | undefined {
  // A server puts the address together of what was sent; a Host that is none makes it none.
  if (!URL.canParse(request.url)) return buildMalformed("header Host must be a host");
  if (new URL(request.url).pathname !== path) return buildRefusal("not_found", "there is nothing at this path");
  if (request.method !== "POST" && request.method !== "OPTIONS") return METHOD_NOT_ALLOWED;
}

/** Refuses a site that isn't registered for the key. */
export function checkOrigin(headers: Headers, key: ResolvedKey): Refusal | undefined {
  if (isRegistered(key, headers.get("Origin"))) return undefined;
  return buildRefusal("origin_not_registered", "the origin isn't registered for this key");
}

/** Refuses a body that isn't announced as JSON, plain or gzipped, and a request without SDK version (SPEC 4.1, 9). */
export function checkHeaders(headers: Headers): Refusal | undefined {
  if (!JSON_TYPE.test(headers.get("Content-Type") ?? "")) {
    return buildRefusal("unsupported_media_type", "header Content-Type must be application/json");
  }
  if (!ENCODING.test(headers.get("Content-Encoding") ?? "")) {
    return buildRefusal("unsupported_media_type", "header Content-Encoding must be gzip, or missing");
  }
  if (!headers.get("X-Vendor-SDK-Version")) return buildMalformed("header X-Vendor-SDK-Version is required");
}
