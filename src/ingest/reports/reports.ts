import { NO_PATH_RULES } from "../events/path_rules.ts";
import { guard } from "../platform/guard.ts";
import { isPath } from "../contract/syntax.ts";
import { DEFAULT_RETRY_S } from "../contract/refusal.ts";
import { answerFile, answerPage, answerProblem } from "./answers.ts";
import { createAuthenticator, PEOPLE_REFUSED, type ReportAccess, type ReportKey } from "./access/authenticator.ts";
import { writeCsv } from "./files.ts";
import { checkReportKeys } from "./query/check_report_keys.ts";
import { findUnknownGoal, type Goals } from "./query/goals.ts";
import { pickNotes } from "./query/notes.ts";
import { buildPage } from "./page/frame.ts";
import { PAGE_ROWS } from "./page/lists.ts";
import { PAGE_EVENTS } from "./views/person/page.ts";
import { findPeriods } from "./query/periods.ts";
import { PERSON_WRONG, type PersonId, readPerson, toPerson } from "./views/person/query.ts";
import { findUsualSite, type Format, isProblem, NO_SITE, type Problem, readFormat, readSite } from "./query/query.ts";
import { hasDays, isEmpty, isQuiet, type Page, type PersonForm } from "./page/words.ts";
import { listFilterTexts, readViewQuery, type ViewQuery } from "./views/view_query.ts";
import {
  type AnyView,
  type ConsentView,
  createViews,
  type FunnelView,
  type GoalsView,
  type LiveView,
  MAX_ROWS,
  type OverviewView,
  type PagesView,
  type PersonView,
  type RetentionView,
  type SitesView,
  type SourcesView,
  type StepsView,
  type ViewRequest,
} from "./views/views.ts";
import { formatClock, toZoneDay } from "./query/zones.ts";
import type { ReportFilter, ReportReader, SourceGrouping, Traffic } from "../ports/reader.ts";

/** Who asks for a report. */
export interface ReportAsker {
  /**
   * Address of whoever asks, to limit wrong secrets by: an IPv4 or IPv6 address, as the runtime names it.
   *
   * @default {unknown; all who are share a limit, which locks no right secret out}
   */
  readonly address?: string | undefined;
  /**
   * Reads the body of the request, of at most so many bytes, where the server keeps it apart from the request; resolves to
   * undefined for a longer one.
   *
   * @default {reads the request's own}
   */
  readonly readBody?: (limits: { readonly bytes: number }) => Promise<Uint8Array | undefined>;
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
   * @default {of the key's, the one with the most events; one of this machine where there is no other}
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
   * What stands beside: as many days before, the same weekdays of the weeks before, or those a year ago.
   *
   * @default {"before"}
   */
  readonly compare?: "before" | "weeks" | "year";
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
  /**
   * Lists where sessions came from, by channel unless `by` says otherwise. With `of: "first"` each session is under the source of
   * the first session of its visitor.
   */
  sources(
    options?: ReportViewOptions & { readonly by?: SourceGrouping; readonly of?: "session" | "first" },
  ): Promise<SourcesView>;
  /** Lists steps; with `step`, the values of one of its properties, `key`. */
  steps(options?: ReportViewOptions & { readonly step?: string; readonly key?: string }): Promise<StepsView>;
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
  consent(options?: ReportViewOptions): Promise<ConsentView>;
  /** Counts the last 30 minutes, whatever the days; sources are by channel unless `by` says otherwise. */
  live(options?: ReportViewOptions & { readonly by?: SourceGrouping }): Promise<LiveView>;
  /** Compares all sites of the key. */
  sites(options?: ReportViewOptions): Promise<SitesView>;
  /** Reads the newest events of a visitor or a user on the site, whatever the days. */
  person(options: Pick<ReportViewOptions, "apiKey" | "site"> & PersonView["of"]): Promise<PersonView>;
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
  readonly within?: FunnelView["within"];
  /**
   * How stages follow each other.
   *
   * @default {"sequential"}
   */
  readonly order?: FunnelView["order"];
}

/** What retention is asked for with. */
export interface RetentionOptions {
  /**
   * How long the periods are; weeks begin on Monday.
   *
   * @default {"week"}
   */
  readonly unit?: RetentionView["unit"];
  /**
   * What counts as a return, written as a stage of a funnel: `goal:Order`, `page:/teas/*`, `step:signup`.
   *
   * @default {any event}
   */
  readonly event?: string;
}

const DEFAULT_PATH = "/reports";

/** How many pages, and how many steps, the fields of a funnel propose. */
const FREQUENT_NAMES = 15;

/** Says that a text is UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";

const METHOD_NOT_ALLOWED: Problem = {
  status: 405,
  code: "method_not_allowed",
  message: "ask for a report with GET, and for the view person with POST",
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
 * @throws {TypeError} When there is no key, or one without a secret; when a secret is weak, publishable or used twice, a
 * pattern begins without a slash, nothing could reach a goal, a note has no day, or the path could never match a request.
 */
export function createReports(options: ReportsOptions): Reports {
  const { keys, reader, path = DEFAULT_PATH, now = Date.now } = options;
  if (!isPath(path)) throw new TypeError('path must be one such as "/reports", as a URL has it');
  const patterns = keys.flatMap(({ pathRules }) => pathRules?.patterns ?? []);
  if (patterns.some((pattern) => !pattern.startsWith("/"))) throw new TypeError("a pattern of pathRules begins with /");
  checkReportKeys(keys);
  const reportError = guard(options.onError);
  const authenticator = createAuthenticator(keys, now);
  const views = createViews(reader, now);

  async function respond(request: Request, { format, address, readBody }: Asking): Promise<Response | Problem> {
    const { searchParams } = new URL(request.url);
    const isOfPerson = searchParams.get("view") === "person";
    const isForm = request.method === "POST" && isOfPerson;
    if (request.method !== "GET" && request.method !== "HEAD" && !isForm) return METHOD_NOT_ALLOWED;
    const access = await authenticator.find(request.headers.get("Authorization"), address);
    if (isProblem(access)) return access;
    if (isProblem(format)) return format;
    if (isOfPerson && !access.mayReadPeople) return PEOPLE_REFUSED;
    const sent = isForm ? await readPerson(request, readBody) : undefined;
    // The page says so beside its form.
    const isWrong = sent === PERSON_WRONG && format === "html";
    if (isProblem(sent) && !isWrong) return sent;
    const person = isProblem(sent) ? undefined : sent;
    const asked = await readAsked(searchParams, access.key);
    if (isProblem(asked)) return asked;
    const whole = { ...asked, ...(person !== undefined && { person }) };
    if (format === "html") return await respondWithPage(whole, { ...access, isWrong });
    return await respondWithFile(whole, { format, hasMark: searchParams.get("bom") === "1" });
  }

  async function readAsked(parameters: URLSearchParams, key: ReportKey): Promise<Asked | Problem> {
    const query = readViewQuery(parameters, now());
    if (isProblem(query)) return query;
    const isAny = key.origins === "any";
    const sites = isAny ? await reader.sites(key.apiKey) : key.origins;
    const isNamed = parameters.get("site") || parameters.get("view") === "sites";
    const usual = isNamed ? sites[0] : await findUsualSite(sites, () => isAny ? sites : reader.sites(key.apiKey));
    const site = readSite(parameters, { sites, isAny, usual });
    if (isProblem(site)) return site;
    const ownOrigins = key.origins === "any" ? [] : key.origins;
    const { apiKey, pageviewAllowance = Infinity } = key;
    const allowance = Number.isFinite(pageviewAllowance) ? pageviewAllowance : null;
    const pathRules = { ...NO_PATH_RULES, ...key.pathRules };
    const goals = key.goals ?? {};
    const notes = pickNotes(key.notes ?? [], { ...query, site });
    const unknown = findUnknownGoal(query, goals);
    if (unknown !== undefined) return buildUnknownGoal(unknown, goals);
    const request = { ...query, apiKey, site, ownOrigins, pathRules, goals, notes, allowance };
    return { query: { ...query, site }, request, key, sites };
  }

  /** Adds what is of no site, if there is any. */
  async function addNoSite(sites: readonly string[], apiKey: string): Promise<readonly string[]> {
    return await reader.lastTime({ apiKey, site: "" }) === undefined ? sites : [...sites, ""];
  }

  async function respondWithPage(asked: Asked, { mayReadPeople, isWrong }: PageForm): Promise<Response> {
    const { query, request, key, sites } = asked;
    const hasStages = query.view === "funnel" || query.view === "retention";
    const view = await readView(asked, { rows: PAGE_ROWS, events: PAGE_EVENTS }) ??
      { view: "person", of: null, isWrong, counted: await reader.progress() } satisfies PersonForm;
    const page: Page = {
      query,
      view,
      ...(hasDays(view.view) && view.view !== "sites" && {
        totals: view.view === "overview" ? view.current : await views.totals(request),
      }),
      pathRules: request.pathRules,
      sites: [...new Set([...await addNoSite(sites, key.apiKey), query.site])],
      today: toZoneDay(query.zone, now()),
      apiKey: key.apiKey,
      goalNames: Object.keys(request.goals),
      ...(hasStages && { frequent: await views.names(request, FREQUENT_NAMES) }),
      notes: request.notes,
      mayReadPeople,
      ...(findPeriods(query, now()).isRunning && { clock: formatClock(query.zone, now()) }),
    };
    const saysLast = isQuiet(page) || (isEmpty(page) && query.filters.length === 0 && query.traffic === "people");
    const lastMs = saysLast ? await reader.lastTime({ apiKey: key.apiKey, site: query.site }) : undefined;
    const last = lastMs !== undefined && { lastDay: toZoneDay(query.zone, lastMs), lastMs };
    return await answerPage(buildPage({ ...page, ...last }), isWrong ? PERSON_WRONG.status : 200);
  }

  async function respondWithFile(asked: Asked, { format, hasMark }: FileForm): Promise<Response | Problem> {
    const view = await readView(asked, { rows: MAX_ROWS, events: MAX_ROWS });
    if (view === undefined) return PERSON_WRONG;
    const csv = (): string => `${hasMark ? BYTE_ORDER_MARK : ""}${writeCsv(view)}`;
    return answerFile(format === "json" ? `${JSON.stringify(view)}\n` : csv(), {
      type: format === "json" ? "application/json" : "text/csv; charset=utf-8; header=present",
      name: `${buildFileName(asked.query)}.${format}`,
    });
  }

  /** Reads the view; undefined for that of a person where none is named. */
  async function readView(asked: Asked, most: Most): Promise<AnyView | undefined> {
    const { query: { view }, request, key, sites, person } = asked;
    if (view === "overview") return await views.overview(request);
    if (view === "sites") return await views.sites(request, await addNoSite(sites, key.apiKey));
    if (view !== "person") return await views[view](request, most.rows);
    return person && await views.person({ ...request, person }, most.events);
  }

  async function readOptions(
    { apiKey, filters = [], ...others }: CodeOptions,
    stages: readonly string[] = [],
  ): Promise<Asked> {
    const key = apiKey === undefined ? keys[0] : keys.find((one) => one.apiKey === apiKey);
    if (key === undefined) throw new TypeError("there is no such key");
    const pairs = Object.entries(others).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const texts = listFilterTexts(filters).map((text): [string, string] => ["filter", text]);
    const ways = stages.map((text): [string, string] => ["stage", text]);
    const asked = await readAsked(new URLSearchParams([...pairs, ...texts, ...ways]), key);
    if (isProblem(asked)) throw new TypeError(asked.message);
    return asked;
  }

  async function readRequest(options: CodeOptions, stages?: readonly string[]): Promise<ViewRequest> {
    return (await readOptions(options, stages)).request;
  }

  async function answer(request: Request, asker?: ReportAsker): Promise<Response | undefined> {
    // A server puts the address together of what was sent; a Host that is none makes it none.
    if (!URL.canParse(request.url)) return undefined;
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== path) return undefined;
    const format = readFormat(searchParams);
    const answer = await respond(request, { ...asker, format }).catch((error: unknown) => {
      reportError(error);
      return UNAVAILABLE;
    });
    const response = answer instanceof Response
      ? answer
      : await answerProblem(answer, isProblem(format) ? "json" : format);
    return request.method === "HEAD" ? await dropBody(response) : response;
  }

  return Object.assign(answer, {
    overview: async (asked: CodeOptions = {}) => await views.overview(await readRequest(asked)),
    pages: async (asked: CodeOptions = {}) => await views.pages(await readRequest(asked), MAX_ROWS),
    sources: async (asked: CodeOptions = {}) => await views.sources(await readRequest(asked), MAX_ROWS),
    steps: async (asked: CodeOptions = {}) => await views.steps(await readRequest(asked), MAX_ROWS),
    goals: async (asked: CodeOptions = {}) => await views.goals(await readRequest(asked)),
    funnel: async ({ stages, ...asked }: CodeOptions & FunnelOptions) =>
      await views.funnel(await readRequest(asked, stages)),
    retention: async (asked: CodeOptions = {}) => await views.retention(await readRequest(asked)),
    consent: async (asked: CodeOptions = {}) => await views.consent(await readRequest(asked), MAX_ROWS),
    live: async (asked: CodeOptions = {}) => await views.live(await readRequest(asked), MAX_ROWS),
    sites: async (asked: CodeOptions = {}) => {
      const { request, key, sites } = await readOptions(asked);
      return await views.sites(request, await addNoSite(sites, key.apiKey));
    },
    person: async ({ apiKey, site, ...id }: Parameters<Reports["person"]>[0]) => {
      const person = toPerson(new URLSearchParams(Object.entries(id)));
      if (isProblem(person)) throw new TypeError(person.message);
      const options = { ...(apiKey !== undefined && { apiKey }), ...(site !== undefined && { site }) };
      return await views.person({ ...await readRequest(options), person }, MAX_ROWS);
    },
  });
}

/** Options of any view. */
type CodeOptions = ReportViewOptions & Omit<FunnelOptions, "stages"> & RetentionOptions & {
  readonly by?: SourceGrouping;
  readonly of?: SourcesView["of"];
  readonly step?: string;
  readonly key?: string;
};

/** How a request asks. */
interface Asking extends ReportAsker {
  readonly format: Format | Problem;
}

/** How a page is written. */
interface PageForm extends Pick<ReportAccess, "mayReadPeople"> {
  /** Whether the form that asks for a person was sent with neither or both of its fields filled in. */
  readonly isWrong: boolean;
}

/** How a file is written. */
interface FileForm {
  readonly format: "json" | "csv";
  /** Whether CSV begins with a byte order mark. Excel reads a file without one as of another character set. */
  readonly hasMark: boolean;
}

/** What a request that may be answered asks for. */
interface Asked {
  readonly query: ViewQuery & { readonly site: string };
  readonly request: ViewRequest;
  readonly key: ReportKey;
  readonly sites: readonly string[];
  /** Whose events. */
  readonly person?: PersonId;
}

function buildUnknownGoal(name: string, goals: Goals): Problem {
  const names = Object.keys(goals);
  const known = names.length === 0 ? "the key has none" : `those of the key are ${names.join(", ")}`;
  return { status: 400, code: "bad_goal", message: `there is no goal ${JSON.stringify(name)}; ${known}` };
}

/** How many rows of a list, and events of a person, an answer has at most. */
interface Most {
  readonly rows: number;
  readonly events: number;
}

function buildFileName({ view, site, from, to }: Asked["query"]): string {
  const name = view === "sites" ? [] : [(site || NO_SITE).replace(/^.*:\/\//, "").replace(/[^A-Za-z0-9.-]/g, "-")];
  return [view, ...name, ...(hasDays(view) ? [from, to] : [])].join("-");
}

async function dropBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}
