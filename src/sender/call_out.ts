import { attempt } from "../client/base/attempt.ts";

/** Calls what the application handed over. Whether it throws or rejects changes nothing. */
export function callOut(call: () => unknown): void {
  attempt(() => Promise.resolve(call()).catch(() => {}));
}
