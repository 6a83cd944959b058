/** The part of `h3` that a guide uses. */
export interface H3Event {
  readonly method: string;
}
/** The part of `h3` that a guide uses. */
export function defineEventHandler(handle: (event: H3Event) => unknown): unknown;
/** The part of `h3` that a guide uses. */
export function toWebRequest(event: H3Event): Request;
