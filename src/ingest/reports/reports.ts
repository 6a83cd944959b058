import { NO_PATH_RULES } from "../events/path_rules.ts";
import { guard } from "../platform/guard.ts";
import { isPath } from "../contract/syntax.ts";
import { DEFAULT_RETRY_S } from "../contract/refusal.ts";
import { answerFile, answerPage, answerProblem } from "./answers.ts";
import { createAuthenticator, type ReportKey } from "./authenticator.ts";
import { writeCsv } from "./files.ts";
import { buildPage } from "./page.ts";
import { PAGE_ROWS } from "./page_lists.ts";
import { findPeriods } from "./periods.ts";
import { type Format, isProblem, type Problem, readFormat, readSite } from "./query.ts";
import { isEmpty, type Page } from "./view.ts";
import { listFilterTexts, readViewQuery, type ViewName, type ViewQuery } from "./view_query.ts";
import {
  type AnyView,
  type ConsentView,
  createViews,
  type FunnelView,
  MAX_ROWS,
  type OverviewView,
  type PagesView,
  type RetentionView,
  type SourcesView,
  type StepsView,
  type ViewRequest,
} from "./views.ts";
import { formatClock, toZoneDay } from "./zones.ts";
import type { ReportFilter, ReportReader, SourceDimension, Traffic } from "../ports/reader.ts";

/** Who asks for a report. */
export interface ReportAsker {
  /**
   * Address of whoever asks, to limit wrong secrets by: an IPv4 or IPv6 address, as the runtime names it.
   *
   * @default {unknown; all who are share a limit, which locks no right secret out}
   */
  readonly address?: string | undefined;
}

/** What {@linkcode createReports} takes. */
export interface ReportsOptions {
  /** Keys with reports. At least one. */
  readonly keys: readonly ReportKey[];
  /** Where the counts come from. The caller closes it. */
  readonly reader: ReportReader;
  /**
   * Path that is answered.
   *
   * @default {"/reports"}
   */
  readonly path?: string;
  /**
   * Current time in milliseconds since the Unix epoch; "today" comes from it.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
  /** Hears why a report was `unavailable`: what the reader threw. */
  readonly onError?: (error: unknown) => void;
}

/** What a view is asked for in code: as in the query of a request. */
export interface ReportViewOptions {
  /**
   * Publishable key.
   *
   * @default {the first}
   */
  readonly apiKey?: string;
  /**
   * Origin of the site.
   *
   * @default {the key's first}
   */
  readonly site?: string;
  /**
   * First day, `2026-01-01`.
   *
   * @default {so that there are 30 days}
   */
  readonly from?: string;
  /**
   * Last day, included.
   *
   * @default {today}
   */
  readonly to?: string;
  /**
   * Time zone of the days, by its IANA name.
   *
   * @default {"UTC"}
   */
  readonly zone?: string;
  /**
   * What stands beside: as many days before, or the same weekdays a year ago.
   *
   * @default {"before"}
   */
  readonly compare?: "before" | "year";
  /**
   * Whose events: those of people, of crawlers (`"bots"`), or of own visits.
   *
   * @default {"people"}
   */
  readonly traffic?: Traffic;
  /**
   * Filters that hold together.
   *
   * @default {none}
   */
  readonly filters?: readonly ReportFilter[];
}

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
  pages(options?: ReportViewOptions): Promise<PagesView>;
  /** Lists where sessions came from, by channel unless `by` says otherwise. */
  sources(options?: ReportViewOptions & { readonly by?: SourceDimension }): Promise<SourcesView>;
  /** Lists steps; with `step`, the values of one of its properties, `key`. */
  steps(options?: ReportViewOptions & { readonly step?: string; readonly key?: string }): Promise<StepsView>;
  /** Counts how many visitors come how far: by stages such as `page:/cart` or `step:signup:plan:"pro"`, `|` between alternatives. */
  funnel(options: ReportViewOptions & FunnelOptions): Promise<FunnelView>;
  /** Counts how many visitors come back, in each period of those that the range touches. */
  retention(options?: ReportViewOptions & RetentionOptions): Promise<RetentionView>;
  /** Compares what came with consent and before it. */
  consent(options?: ReportViewOptions): Promise<ConsentView>;
}

/** What a funnel is asked for with. */
export interface FunnelOptions {
  /** 2 to 8 stages, each written as in the query of a request. */
  readonly stages: readonly string[];
  /**
   * In which time the last stage has to follow the first.
   *
   * @default {"session"}
   */
  readonly within?: "session" | "1h" | "1d" | "7d" | "30d";
  /**
   * How stages follow each other.
   *
   * @default {"sequential"}
   */
  readonly order?: "sequential" | "strict" | "flexible";
}

/** What retention is asked for with. */
export interface RetentionOptions {
  /**
   * How long the periods are; weeks begin on Monday.
   *
   * @default {"week"}
   */
  readonly unit?: "day" | "week" | "month";
  /**
   * Name of the step that counts as a return.
   *
   * @default {any event}
   */
  readonly step?: string;
}

const DEFAULT_PATH = "/reports";

const METHOD_NOT_ALLOWED: Problem = {
  status: 405,
  code: "method_not_allowed",
  message: "ask for a report with GET",
};

const UNAVAILABLE: Problem = {
  status: 503,
  code: "unavailable",
  message: "the store can't be read at the moment, try again later",
  retryAfterS: DEFAULT_RETRY_S,
};

/**
 * Creates the reports of registered sites: a page, JSON (`format=json`) and CSV (`format=csv`) of each view at one path. A
 * secret key opens the reports of the sites of its publishable key. Mounts wherever a Web-standard handler does; told the
 * address of whoever asks, it limits the wrong secrets of each address by itself.
 *
 * @example
 * ```ts
 * import { createReports, createSqliteReader, type Reports } from "@vendor/sdk/ingest";
 *
 * export async function openReports(): Promise<Reports> {
 *   const key = { apiKey: "pk_live_1", secretKey: "sk_live_0123456789", origins: ["https://shop.example"] };
 *   return createReports({ keys: [key], reader: await createSqliteReader({ path: "events.db" }) });
 * }
 * ```
 *
 * @throws {TypeError} When there is no key, a secret that is weak, publishable or used twice, a pattern that begins with
 * something else than a slash, or a path that could never match a request.
 */
export function createReports(options: ReportsOptions): Reports {
  const { keys, reader, path = DEFAULT_PATH, now = Date.now } = options;
  if (!isPath(path)) throw new TypeError('path must be one such as "/reports", as a URL has it');
  const patterns = keys.flatMap(({ pathRules }) => pathRules?.patterns ?? []);
  if (patterns.some((pattern) => !pattern.startsWith("/"))) throw new TypeError("a pattern of pathRules begins with /");
  const reportError = guard(options.onError);
  const authenticator = createAuthenticator(keys, now);
  const views = createViews(reader, now);

  async function respond(request: Request, { format, address }: Asking): Promise<Response | Problem> {
    if (request.method !== "GET" && request.method !== "HEAD") return METHOD_NOT_ALLOWED;
    const key = await authenticator.find(request.headers.get("Authorization"), address);
    if (isProblem(key)) return key;
    if (isProblem(format)) return format;
    const asked = await readAsked(new URL(request.url).searchParams, key);
    if (isProblem(asked)) return asked;
    return format === "html" ? await respondWithPage(asked) : await respondWithFile(asked, format);
  }

  async function readAsked(parameters: URLSearchParams, key: ReportKey): Promise<Asked | Problem> {
    const query = readViewQuery(parameters, now());
    if (isProblem(query)) return query;
    const sites = key.origins === "any" ? await reader.sites(key.apiKey) : key.origins;
    const site = readSite(parameters, { sites, isAny: key.origins === "any" });
    if (isProblem(site)) return site;
    const ownOrigins = key.origins === "any" ? [] : key.origins;
    const { apiKey, pageviewAllowance = Infinity } = key;
    const allowance = Number.isFinite(pageviewAllowance) ? pageviewAllowance : null;
    const pathRules = { ...NO_PATH_RULES, ...key.pathRules };
    const request = { ...query, apiKey, site, ownOrigins, pathRules, allowance };
    return { query: { ...query, site }, request, key, sites };
  }

  async function respondWithPage({ query, request, key, sites }: Asked): Promise<Response> {
    const view = await readView(query.view, request, PAGE_ROWS);
    const page: Page = {
      query,
      view,
      totals: view.view === "overview" ? view.current : await views.totals(request),
      sites: [...new Set([...sites, query.site])],
      today: toZoneDay(query.zone, now()),
      apiKey: key.apiKey,
      ...(findPeriods(query, now()).isRunning && { clock: formatClock(query.zone, now()) }),
    };
    const lastTime = isEmpty(page) && query.filters.length === 0 && query.traffic === "people"
      ? await reader.lastTime({ apiKey: key.apiKey, site: query.site })
      : undefined;
    const last = lastTime !== undefined && { lastDay: toZoneDay(query.zone, lastTime) };
    return await answerPage(buildPage({ ...page, ...last }));
  }

  async function respondWithFile({ query, request }: Asked, format: "json" | "csv"): Promise<Response> {
    const view = await readView(query.view, request, MAX_ROWS);
    return answerFile(format === "json" ? `${JSON.stringify(view)}\n` : writeCsv(view), {
      type: format === "json" ? "application/json" : "text/csv; charset=utf-8; header=present",
      name: `${query.view}-${buildFileName(query)}.${format}`,
    });
  }

  function readView(view: ViewName, request: ViewRequest, rows: number): Promise<AnyView> {
    return view === "overview" ? views.overview(request) : views[view](request, rows);
  }

  async function readOptions(
    { apiKey, filters = [], ...others }: CodeOptions,
    stages: readonly string[] = [],
  ): Promise<ViewRequest> {
    const key = apiKey === undefined ? keys[0] : keys.find((one) => one.apiKey === apiKey);
    if (key === undefined) throw new TypeError("there is no such key");
    const pairs = Object.entries(others).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const texts = listFilterTexts(filters).map((text): [string, string] => ["filter", text]);
    const ways = stages.map((text): [string, string] => ["stage", text]);
    const asked = await readAsked(new URLSearchParams([...pairs, ...texts, ...ways]), key);
    if (isProblem(asked)) throw new TypeError(asked.message);
    return asked.request;
  }

  async function answer(request: Request, asker?: ReportAsker): Promise<Response | undefined> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== path) return undefined;
    const format = readFormat(searchParams);
    const answer = await respond(request, { format, address: asker?.address }).catch((error: unknown) => {
      reportError(error);
      return UNAVAILABLE;
    });
    const response = answer instanceof Response
      ? answer
      : await answerProblem(answer, isProblem(format) ? "json" : format);
    return request.method === "HEAD" ? await dropBody(response) : response;
  }

  return Object.assign(answer, {
    overview: async (asked: CodeOptions = {}) => await views.overview(await readOptions(asked)),
    pages: async (asked: CodeOptions = {}) => await views.pages(await readOptions(asked), MAX_ROWS),
    sources: async (asked: CodeOptions = {}) => await views.sources(await readOptions(asked), MAX_ROWS),
    steps: async (asked: CodeOptions = {}) => await views.steps(await readOptions(asked), MAX_ROWS),
    funnel: async ({ stages, ...asked }: CodeOptions & FunnelOptions) =>
      await views.funnel(await readOptions(asked, stages)),
    retention: async (asked: CodeOptions = {}) => await views.retention(await readOptions(asked)),
    consent: async (asked: CodeOptions = {}) => await views.consent(await readOptions(asked), MAX_ROWS),
  });
}

/** Options of any view. */
type CodeOptions = ReportViewOptions & Omit<FunnelOptions, "stages"> & RetentionOptions & {
  readonly by?: SourceDimension;
  readonly step?: string;
  readonly key?: string;
};

/** How a request asks. */
interface Asking {
  readonly format: Format | Problem;
  readonly address: string | undefined;
}

/** What a request that may be answered asks for. */
interface Asked {
  readonly query: ViewQuery & { readonly site: string };
  readonly request: ViewRequest;
  readonly key: ReportKey;
  readonly sites: readonly string[];
}

function buildFileName({ site, from, to }: Asked["query"]): string {
  return [site.replace(/^.*:\/\//, "").replace(/[^A-Za-z0-9.-]/g, "-"), from, to].join("-");
}

async function dropBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}
