/**
 * A page of the last minutes reads itself anew, until its reader stops it (WCAG 2.2.1).
 *
 * @module
 */

/** Seconds between two loads of a page. */
export const REFRESH_S = 30;

/** Part of the URL of a page that isn't loaded again. */
export const REFRESH_OFF = "refresh=off";

/** Returns whether the page of a URL reads itself anew. */
export function isRefreshing(parameters: URLSearchParams): boolean {
  return parameters.get("refresh") !== "off";
}
