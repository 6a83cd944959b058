/**
 * Sign-out of a reader. A browser keeps the password of Basic credentials for as long as it runs, and forgets it once
 * it is answered 401 (RFC 7617). The link names the key that is left, so that the secret of another one opens the
 * reports of that.
 *
 * @module
 */
import type { Problem } from "../query/query.ts";

/** The parameter that names the key that is left. */
const LEAVE = "leave";

/** Answers a browser that leaves. */
export const LEFT: Problem = {
  status: 401,
  code: "unauthorized",
  message: "you have left the reports",
};

/** Returns the publishable key that a request leaves; null where it leaves none. */
export function readLeft(parameters: URLSearchParams): string | null {
  return parameters.get(LEAVE);
}

/** Builds the link by which a reader leaves. It is relative, wherever the reports are mounted. */
export function buildLeaveLink(apiKey: string): string {
  return `?${new URLSearchParams([[LEAVE, apiKey]])}`;
}
