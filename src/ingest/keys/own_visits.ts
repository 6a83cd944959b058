import { createAddressCheck, isNetwork } from "./address_check.ts";
import type { StoredEvent } from "../events/stored_event.ts";
import { createLocator } from "../events/place.ts";
import { createPathWriter, findPatternProblem, NO_PATH_RULES } from "../events/path_rules.ts";

/**
 * Visits of a site's own people: an event is of one as soon as one of these fits. It's decided when the event arrives, so
 * that a change holds from then on. Such an event is stored with the `flag` `"own"`.
 */
export interface OwnVisits {
  /**
   * Addresses or networks that requests with an `Origin` come from, such as `203.0.113.7` or `2001:db8::/32`.
   *
   * @default {none}
   */
  readonly addresses?: readonly string[];
  /**
   * Visitors, by their `anonymousId`.
   *
   * @default {none}
   */
  readonly visitors?: readonly string[];
  /**
   * Users, by their `userId`.
   *
   * @default {none}
   */
  readonly users?: readonly string[];
  /**
   * Paths of pages, as patterns: in `/admin/*` the asterisk stands for the rest, in `/teas/:tea/edit` a name for one
   * segment; the others are those of `pathRules`.
   *
   * @default {none}
   */
  readonly paths?: readonly string[];
}

/** Says what is wrong with own visits, and with which; undefined for nothing. It repeats none of them. */
export function findOwnVisitsProblem(
  { addresses = [], visitors = [], users = [], paths = [] }: OwnVisits,
): string | undefined {
  const address = addresses.findIndex((network) => !isNetwork(network));
  if (address >= 0) return `addresses[${address}] must be an address, or a network such as 203.0.113.0/24`;
  const path = paths.findIndex((pattern) => findPatternProblem(pattern) !== undefined);
  if (path >= 0) return `paths[${path}] ${findPatternProblem(paths[path] ?? "")}`;
  // An empty text would be no id of anybody.
  if ([...visitors, ...users].includes("")) return "visitors and users must not be empty";
}

/** Says which events are of own visits. */
export interface OwnVisitCheck {
  /** Returns whether all that comes from an address is. */
  isOwnAddress(address: string): boolean;
  /** Creates the function that says whether an event of a batch is, by its ids and its path; undefined where none is. */
  createEventCheck(): ((event: StoredEvent) => boolean) | undefined;
}

/** Creates the check of own visits that have no problem. */
export function createOwnVisitCheck(
  { addresses = [], visitors = [], users = [], paths = [] }: OwnVisits,
): OwnVisitCheck {
  const [ofVisitors, ofUsers, ofPaths] = [new Set<unknown>(visitors), new Set<unknown>(users), new Set(paths)];
  const writePath = createPathWriter({ ...NO_PATH_RULES, patterns: paths });
  return {
    isOwnAddress: createAddressCheck(addresses),
    createEventCheck: () => {
      if (visitors.length + users.length + paths.length === 0) return undefined;
      // It remembers each URL: for a batch, and no longer.
      const locate = createLocator();
      return ({ identity, context }) =>
        ofVisitors.has(identity?.anonymousId) || ofUsers.has(identity?.userId) ||
        ofPaths.size > 0 && ofPaths.has(writePath(locate(context?.pageUrl ?? "").path));
    },
  };
}
