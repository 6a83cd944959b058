/**
 * Links to share: who has one reads some views of one site, without a secret. The keys have the hash of what the link says,
 * so that nobody who reads them can open it.
 *
 * @module
 */
import { findOriginProblem } from "../../keys/find_origin_problem.ts";
import { createDigest } from "../../platform/digest.ts";
import type { Problem } from "../query/query.ts";
import type { ReportAccess, ReportKey } from "./authenticator.ts";

/** A link that is shared. */
export interface SharedLink {
  /** SHA-256 of what the link says, in hexadecimal digits. */
  readonly hash: string;
  /** Origin of the site that it opens. */
  readonly site: string;
  /** Names of the views that it opens, never `person` or `sites`; the first is the one that it leads to. */
  readonly views: readonly string[];
}

/** A site and the views that a link opens. */
export interface SharedAccess extends ReportAccess {
  readonly mayReadPeople: false;
  /** The link. */
  readonly link: SharedLink;
  /** Text that every link of its pages has to have as well. */
  readonly token: string;
}

/** The parameter that a link says it in. */
export const SHARE = "share";

const NO_LINK: Problem = {
  status: 403,
  code: "link_refused",
  message: "this link opens nothing: it was ended, or a part of it is missing",
};

/** Says that a link doesn't open a view. */
export const VIEW_REFUSED: Problem = {
  status: 403,
  code: "link_refused",
  message: "this link doesn't open that view",
};

/** SHA-256 as it is written. */
const HASH = /^[0-9a-f]{64}$/;

/**
 * Checks the links of keys.
 *
 * @param known Names of the views that a link can open.
 * @throws {TypeError} When a link opens another view or none, or could never be opened. Repeats nothing of a key.
 */
export function checkLinks(keys: readonly Pick<ReportKey, "sharedLinks">[], known: readonly string[]): void {
  for (const [index, { sharedLinks = {} }] of keys.entries()) {
    for (const [place, { hash, site, views }] of Object.values(sharedLinks).entries()) {
      const ofSite = findOriginProblem(site);
      const problem = (HASH.test(hash) ? undefined : "hash must be SHA-256, as 64 hexadecimal digits in lower case") ??
        (ofSite && `site ${ofSite}`) ??
        (views.length > 0 && views.every((view) => known.includes(view))
          ? undefined
          : `views must be some of ${known.join(", ")}`);
      if (problem !== undefined) throw new TypeError(`keys[${index}].sharedLinks[${place}].${problem}`);
    }
  }
}

/** Creates the lookup of links: resolves to undefined for a request without one. */
export function createSharing(
  keys: readonly ReportKey[],
): (parameters: URLSearchParams) => Promise<SharedAccess | Problem | undefined> {
  const digest = createDigest();
  const links = new Map(
    keys.flatMap((key) => Object.values(key.sharedLinks ?? {}).map((link) => [link.hash, { key, link }] as const)),
  );
  return async (parameters) => {
    const token = parameters.get(SHARE);
    if (token === null) return undefined;
    const found = links.get(await digest(token));
    return found === undefined ? NO_LINK : { ...found, mayReadPeople: false, token };
  };
}

/** Returns the parameters of a request by a link, which may ask for nothing but what the link opens. */
export function restrict(
  parameters: URLSearchParams,
  { link: { site, views } }: SharedAccess,
): URLSearchParams | Problem {
  const view = parameters.get("view") || views[0] || "";
  if (!views.includes(view)) return VIEW_REFUSED;
  const restricted = new URLSearchParams(parameters);
  restricted.set("site", site);
  restricted.set("view", view);
  return restricted;
}
