/**
 * The views of a report. From here follow the sections of the page, JSON, CSV, the OpenAPI document and the functions of
 * {@linkcode Reports}.
 *
 * @module
 */
import type { SourceGrouping } from "../../ports/report_query.ts";
import type { ReportAsker, ReportListOptions, ReportViewOptions } from "../view/options.ts";
import type { View, ViewObject } from "../view/view.ts";
import { audience, type AudienceView } from "./audience/audience.ts";
import { consent, type ConsentView } from "./consent/consent.ts";
import { funnel, type FunnelOptions, type FunnelView } from "./funnel/funnel.ts";
import { goals, type GoalsView } from "./goals/goals.ts";
import { live, type LiveView } from "./live/live.ts";
import { overview, type OverviewView } from "./overview/overview.ts";
import { pages, type PagesView } from "./pages/pages.ts";
import { person, type PersonView } from "./person/person.ts";
import { retention, type RetentionOptions, type RetentionView } from "./retention/retention.ts";
import { sites, type SitesView } from "./sites/sites.ts";
import { sources, type SourcesView } from "./sources/sources.ts";
import { steps, type StepsView } from "./steps/steps.ts";

/** The views, in the order of the page's sections. The first is what a request without a name is for. */
export const VIEWS: readonly View<object, ViewObject & { readonly view: keyof Reports }>[] = [
  overview,
  pages,
  sources,
  audience,
  steps,
  goals,
  funnel,
  retention,
  consent,
  live,
  sites,
  person,
];

/** Names of the views that a link can open: those of a site, and nobody's alone. */
export const SHARED_VIEWS: readonly string[] = VIEWS.filter(({ subject }) => subject === "site").map(({ name }) =>
  name
);

/** Answers requests for reports, and makes their views in code. */
export interface Reports {
  /** Answers a request for a report; resolves to undefined for any other path. Never rejects. */
  (request: Request, asker?: ReportAsker): Promise<Response | undefined>;
  /**
   * Counts visitors, pageviews and sessions, beside the period before.
   *
   * @throws {TypeError} For what a request would be refused for. The others as well.
   */
  overview(options?: ReportViewOptions): Promise<OverviewView>;
  /** Lists pages. */
  pages(options?: ReportViewOptions & ReportListOptions): Promise<PagesView>;
  /**
   * Lists where sessions came from, by channel unless `by` says otherwise. With `of: "first"` each session is under the source of
   * the first session of its visitor.
   */
  sources(
    options?: ReportViewOptions & ReportListOptions & {
      readonly by?: SourceGrouping;
      readonly of?: "session" | "first";
    },
  ): Promise<SourcesView>;
  /** Lists people by whether they are new, unless `dimension` says otherwise. */
  audience(
    options?: ReportViewOptions & ReportListOptions & { readonly dimension?: AudienceView["dimension"] },
  ): Promise<AudienceView>;
  /** Lists steps; with `step`, the values of one of its properties, `key`. */
  steps(
    options?: ReportViewOptions & ReportListOptions & {
      readonly step?: string;
      readonly key?: string;
      readonly violationOffset?: number;
    },
  ): Promise<StepsView>;
  /** Counts how often the goals of the key are reached, and by how many visitors, beside the period before. */
  goals(options?: ReportViewOptions): Promise<GoalsView>;
  /**
   * Counts how many visitors come how far. A stage is `page:/cart`, `step:signup:tier:"pro"` or `goal:Order`, with `|`
   * between alternatives.
   */
  funnel(options: ReportViewOptions & FunnelOptions): Promise<FunnelView>;
  /** Counts how many visitors come back, in each period of those that the range touches. */
  retention(options?: ReportViewOptions & RetentionOptions): Promise<RetentionView>;
  /** Compares what came with consent and before it. */
  consent(options?: ReportViewOptions & Pick<ReportListOptions, "sort" | "direction">): Promise<ConsentView>;
  /** Counts the last 30 minutes, whatever the days; sources are by channel unless `by` says otherwise. */
  live(options?: ReportViewOptions & { readonly by?: SourceGrouping }): Promise<LiveView>;
  /** Compares all sites of the key. */
  sites(options?: ReportViewOptions): Promise<SitesView>;
  /** Reads the newest events of a visitor or a user on the site, whatever the days. */
  person(
    options: Pick<ReportViewOptions, "apiKey" | "site"> & Pick<ReportListOptions, "offset"> & PersonView["of"],
  ): Promise<PersonView>;
}
