import { NO_PATH_RULES } from "../events/path_rules.ts";
import { toReferrerText } from "../events/visit_facts.ts";
import type { ReportKey } from "./access/authenticator.ts";
import type { PersonId } from "./access/person.ts";
import { VIEW_REFUSED } from "./access/sharing.ts";
import { findFilterProblem, findUnknownGoal, type Goals } from "./query/goals.ts";
import { findEarlierNote, pickNotes } from "./query/notes.ts";
import { findUsualSite, isProblem, type Problem, readSite } from "./query/query.ts";
import type { ViewQuery } from "./query/view_query.ts";
import type { View, ViewRequest, ViewSource } from "./view/view.ts";
import { findView, listGoals, readViewQuery } from "./views/view_query.ts";

type OwnOrigins = Pick<ReportKey, "origins" | "ignoredReferrers">;

/** A request that may be answered. */
export interface Asked {
  /** The view. */
  readonly view: View;
  /** The query of its URL. */
  readonly query: ViewQuery & { readonly site: string };
  /** The parameters of the view. */
  readonly request: ViewRequest;
}

/** Lists the origins of a key that are no sources, as facts have them. */
export function listOwnOrigins({ origins, ignoredReferrers = [] }: OwnOrigins): readonly string[] {
  return [...(origins === "any" ? [] : origins), ...ignoredReferrers].map(toReferrerText);
}

/**
 * Reads what the parameters of a URL ask for, of the sites of a key. With the names of views it is kept to these: the
 * overview has rows of others, and without the view of goals no other view knows them.
 */
export async function readAsked(
  { reader, now }: ViewSource,
  parameters: URLSearchParams,
  key: ReportKey,
  views?: readonly string[],
): Promise<Asked | Problem> {
  const { zone: usualZone, weekStart } = key;
  const read = readViewQuery(withUsualZone(parameters, usualZone), now());
  if (isProblem(read)) return read;
  const query = {
    ...read,
    ...(usualZone !== undefined && { usualZone }),
    ...(weekStart !== undefined && { weekStart }),
  };
  const view = findView(query);
  const isAny = key.origins === "any";
  const sites = key.origins === "any" ? await reader.sites(key.apiKey) : key.origins;
  const isNamed = parameters.get("site") || view.subject === "sites";
  const usual = isNamed ? sites[0] : await findUsualSite(sites, () => isAny ? sites : reader.sites(key.apiKey));
  const site = readSite(parameters, { sites, isAny, usual });
  if (isProblem(site)) return site;
  const { apiKey, pageviewAllowance = Infinity, notes = [], currency } = key;
  const mayReadGoals = views?.includes("goals") ?? true;
  const { goals = {} } = mayReadGoals ? key : {};
  const named = listGoals(query);
  // Before it says which goals there are.
  if (!mayReadGoals && named.length > 0) return VIEW_REFUSED;
  const unknown = findUnknownGoal(named, goals);
  if (unknown !== undefined) return buildUnknownGoal(unknown, goals);
  const pathRules = { ...NO_PATH_RULES, ...key.pathRules };
  const message = findFilterProblem(query.filters, pathRules);
  if (message !== undefined) return { status: 400, code: "bad_filter", message };
  const earlierNote = findEarlierNote(notes, { ...query, site });
  const request: ViewRequest = {
    ...query,
    apiKey,
    site,
    ownOrigins: listOwnOrigins(key),
    pathRules,
    goals,
    ...(currency !== undefined && { currency }),
    notes: pickNotes(notes, { ...query, site }),
    ...(earlierNote !== undefined && { earlierNote }),
    allowance: Number.isFinite(pageviewAllowance) ? pageviewAllowance : null,
    ...(views !== undefined && { views }),
    sites: async () => await reader.lastTime({ apiKey, site: "" }) === undefined ? sites : [...sites, ""],
  };
  return { view, query: { ...query, site }, request };
}

/** Names the zone of the key where the parameters name none. */
function withUsualZone(parameters: URLSearchParams, zone: string | undefined): URLSearchParams {
  if (zone === undefined || parameters.get("zone")) return parameters;
  const named = new URLSearchParams(parameters);
  named.set("zone", zone);
  return named;
}

/** Adds whose events are asked for. */
export function addPerson(asked: Asked, person: PersonId): Asked {
  return { ...asked, request: { ...asked.request, person } };
}

function buildUnknownGoal(name: string, goals: Goals): Problem {
  const names = Object.keys(goals);
  const known = names.length === 0 ? "the key has none" : `those of the key are ${names.join(", ")}`;
  return { status: 400, code: "bad_goal", message: `there is no goal ${JSON.stringify(name)}; ${known}` };
}
