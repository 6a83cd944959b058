import { buildLeaveLink } from "./access/leaving.ts";
import { SHARE, type SharedAccess } from "./access/sharing.ts";
import type { Asked } from "./asked.ts";
import { describeDamaged } from "./page/damaged.ts";
import { buildPage } from "./page/frame.ts";
import type { Html } from "./page/html.ts";
import { PAGE_ROWS } from "./page/list.ts";
import type { Page } from "./page/page.ts";
import { findPeriods } from "./query/periods.ts";
import { formatClock, toZoneDay } from "./query/zones.ts";
import { readNames } from "./view/names.ts";
import { readTotals } from "./view/spans.ts";
import type { View, ViewObject, ViewSource } from "./view/view.ts";
import { VIEWS } from "./views/registry.ts";
import { writeViewQuery } from "./views/view_query.ts";

/** Options of {@linkcode buildReportPage}. */
export interface ReportPageOptions {
  /** Whether the reader may see what single people did. */
  readonly mayReadPeople: boolean;
  /** Whether the form that asks for a person was sent with neither or both of its fields filled in. */
  readonly isWrong: boolean;
  /** URL that the ingest takes events at. */
  readonly endpoint: string;
  /** Whether the page reads itself anew after a while. */
  readonly isRefreshing: boolean;
  /** The link by which it is read; absent for who has a secret. */
  readonly shared?: SharedAccess;
}

/** Reads a view, and builds its page. */
export async function buildReportPage(
  source: ViewSource,
  { view, query, request }: Asked,
  { mayReadPeople, isWrong, endpoint, isRefreshing, shared }: ReportPageOptions,
): Promise<Html> {
  const { reader, now } = source;
  const object = await view.read(source, request, view.pageRows ?? PAGE_ROWS);
  const isOfDays = view.span === "days" && view.subject === "site";
  const totals = isOfDays ? view.findTotals?.(object) ?? await readTotals(source, request) : undefined;
  const isEmpty = isNothing(totals) && view.isEmpty?.(object) === true;
  const saysLast = view.isQuiet?.(object) || (isEmpty && query.filters.length === 0 && query.traffic === "people");
  const lastMs = saysLast ? await reader.lastTime({ apiKey: request.apiKey, site: request.site }) : undefined;
  const sites = shared === undefined ? await request.sites() : [];
  const busySites = saysLast && lastMs === undefined ? await reader.sites(request.apiKey) : [];
  const page: Page = {
    query,
    write: (asked) => {
      const parameters = writeViewQuery(asked);
      if (shared !== undefined) parameters.set(SHARE, shared.token);
      return parameters;
    },
    section: view,
    sections: VIEWS.filter(({ name, subject }) =>
      shared === undefined ? subject !== "person" || mayReadPeople : shared.link.views.includes(name)
    ),
    ...(totals !== undefined && { totals }),
    pathRules: request.pathRules,
    sites: [...new Set([...sites, query.site])],
    today: toZoneDay(query.zone, now()),
    apiKey: request.apiKey,
    goalNames: Object.keys(request.goals),
    ...(request.currency !== undefined && { currency: request.currency }),
    ...(view.hasStages && { frequent: await readNames(source, request) }),
    notes: request.notes,
    ...(request.earlierNote !== undefined && { earlierNote: request.earlierNote }),
    ...(findPeriods(query, now()).isRunning && { clock: formatClock(query.zone, now()) }),
    ...(lastMs !== undefined && { lastDay: toZoneDay(query.zone, lastMs), lastMs }),
    busySites: busySites.filter((site) => sites.includes(site) && site !== query.site),
    endpoint,
    isRefreshing,
    ...(shared === undefined && { leaveLink: buildLeaveLink(request.apiKey) }),
    isCoarse: shared !== undefined,
    isWrong,
  };
  return buildPage(page, buildContent(page, { view, object, isEmpty }));
}

interface Shown {
  readonly view: View;
  readonly object: ViewObject;
  readonly isEmpty: boolean;
}

function buildContent(
  page: Page,
  { view, object, isEmpty }: Shown,
): Parameters<typeof buildPage>[1] {
  return {
    damage: describeDamaged(object.damaged),
    body: isEmpty ? undefined : view.build(page, object),
    below: view.buildBelow?.(object),
    lead: view.describeLead?.(object),
    span: view.nameSpan?.(page, object),
  };
}

function isNothing(totals: Page["totals"]): boolean {
  if (totals === undefined) return false;
  const { pageviews: { full, aggregate }, visitors, users, sessions } = totals;
  return full + aggregate + visitors + users + sessions === 0;
}
