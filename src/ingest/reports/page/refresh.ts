/**
 * A page of the last minutes reads itself anew, until its reader stops it (WCAG 2.2.1).
 *
 * @module
 */

/** How often, in seconds. */
export const REFRESH_S = 30;

/** What the URL of a page has that doesn't. */
export const REFRESH_OFF = "refresh=off";

/** Returns whether the page of a URL reads itself anew. */
export function isRefreshing(parameters: URLSearchParams): boolean {
  return parameters.get("refresh") !== "off";
}
