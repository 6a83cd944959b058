import { NO_ANSWER } from "./environment.ts";

/** Returns whether the next attempt may succeed where this one got no answer, or this status. */
export function isTransient(status: number): boolean {
  return [NO_ANSWER, 408, 425, 429].includes(status) || (status >= 500 && status !== 501 && status !== 505);
}
