/**
 * The checks that need nothing of the body, in the order in which they are asked.
 *
 * @module
 */
import { isRegistered, type Keyring, type ResolvedKey } from "./keyring.ts";
import { buildMalformed, type Refusal } from "./refusal.ts";

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

/** Refuses another path or method. */
export function checkRoute(request: Request, path: string): Refusal | undefined {
  if (new URL(request.url).pathname !== path) {
    return { status: 404, code: "not_found", message: "there is nothing at this path" };
  }
  if (request.method !== "POST" && request.method !== "OPTIONS") {
    return { status: 405, code: "method_not_allowed", message: "events are sent with POST" };
  }
}

/** Finds the sender's key (SPEC 5), or refuses an unknown one. */
export function findSender(headers: Headers, keyring: Keyring): ResolvedKey | Refusal {
  return keyring.find(headers.get("X-API-Key")) ??
    { status: 401, code: "unknown_key", message: "header X-API-Key must carry a known key" };
}

/** Refuses a site that isn't registered for the key. */
export function checkOrigin(headers: Headers, key: ResolvedKey): Refusal | undefined {
  if (isRegistered(key, headers.get("Origin"))) return undefined;
  return { status: 403, code: "origin_not_registered", message: "the origin isn't registered for this key" };
}

/** Refuses a body that isn't announced as plain JSON, and a request without SDK version (SPEC 4.1, 9). */
export function checkHeaders(headers: Headers): Refusal | undefined {
  if (!JSON_TYPE.test(headers.get("Content-Type") ?? "")) {
    return { status: 415, code: "unsupported_media_type", message: "header Content-Type must be application/json" };
  }
  if (!/^(?:identity)?$/i.test(headers.get("Content-Encoding") ?? "")) {
    return { status: 415, code: "unsupported_media_type", message: "the body must not be compressed" };
  }
  if (!headers.get("X-Vendor-SDK-Version")) return buildMalformed("header X-Vendor-SDK-Version is required");
}
