import { monthOf } from "../events/stored_event.ts";
import { guard } from "../platform/guard.ts";
import { isPath } from "../contract/syntax.ts";
import { DEFAULT_RETRY_S } from "../contract/refusal.ts";
import { answerFile, answerPage, answerProblem } from "./answers.ts";
import { createAuthenticator, type ReportKey } from "./authenticator.ts";
import { listDays, toDay } from "./days.ts";
import { type FileSource, writeCsv, writeJson } from "./files.ts";
import { buildPage, PAGE_ROWS } from "./page.ts";
import { type Format, isProblem, type Problem, readFormat, readRange, readSite, readTable } from "./query.ts";
import { findScopeBefore } from "./summary.ts";
import type { AllowanceUse, DayRow, PageviewRow, ReportReader, ReportScope } from "../ports/reader.ts";

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

/** Answers a request for a report; resolves to undefined for any other path. Never rejects. */
export type Reports = (request: Request, asker?: ReportAsker) => Promise<Response | undefined>;

const DEFAULT_PATH = "/reports";

/** Most rows of each list in a file, but for the pageviews per day and path: those are all there. */
const FILE_ROWS = 10_000;

const NO_COUNTS: Omit<DayRow, "day"> = { full: 0, aggregate: 0, total: 0, sessions: 0 };

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
 * Creates the reports of registered sites: a page, JSON (`format=json`) and CSV (`format=csv&table=…`) at one path. A
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
 * @throws {TypeError} When there is no key, a secret that is weak, publishable or used twice, or a path that could
 * never match a request.
 */
export function createReports(options: ReportsOptions): Reports {
  const { reader, path = DEFAULT_PATH, now = Date.now } = options;
  if (!isPath(path)) throw new TypeError('path must be one such as "/reports", as a URL has it');
  const reportError = guard(options.onError);
  const authenticator = createAuthenticator(options.keys, now);

  async function respond(request: Request, { format, address }: Asking): Promise<Response | Problem> {
    if (request.method !== "GET" && request.method !== "HEAD") return METHOD_NOT_ALLOWED;
    const key = await authenticator.find(request.headers.get("Authorization"), address);
    if (isProblem(key)) return key;
    if (isProblem(format)) return format;
    const parameters = new URL(request.url).searchParams;
    const range = readRange(parameters, toDay(now()));
    if (isProblem(range)) return range;
    const sites = await listSites(key);
    const site = readSite(parameters, { sites, isAny: key.origins === "any" });
    if (isProblem(site)) return site;
    const ownOrigins = key.origins === "any" ? [] : key.origins;
    const asked = { parameters, key, sites, scope: { apiKey: key.apiKey, site, ...range, ownOrigins } };
    return format === "html" ? await respondWithPage(asked) : await respondWithFile(asked, format);
  }

  async function respondWithPage({ parameters, key, sites, scope }: Asked): Promise<Response> {
    const pagePath = parameters.get("path") || undefined;
    // One more: pageviews are a row among the events, and none among the steps.
    const report = await reader.read(scope, { rows: PAGE_ROWS + 1 });
    const before = await reader.read(findScopeBefore(scope), { rows: 1 });
    const lastDay = report.totals.events === 0 ? await reader.lastDay(scope) : undefined;
    const rows = pagePath === undefined ? report.days : await reader.readPath(scope, pagePath);
    return await answerPage(buildPage({
      ...scope,
      report,
      before: before.totals,
      ...(lastDay !== undefined && { lastDay }),
      days: fillDays(scope, rows),
      allowance: await readAllowance(key),
      sites: [...new Set([...sites, scope.site])],
      today: toDay(now()),
      ...(pagePath !== undefined && { path: pagePath }),
    }));
  }

  async function respondWithFile(
    { parameters, key, scope }: Asked,
    format: "json" | "csv",
  ): Promise<Response | Problem> {
    const table = readTable(parameters);
    if (isProblem(table)) return table;
    const report = await reader.read(scope, { rows: FILE_ROWS });
    const source: FileSource = {
      ...scope,
      report,
      days: fillDays(scope, report.days),
      allowance: await readAllowance(key),
      readDay: (day) => reader.readDay(scope, day),
    };
    const chunks = format === "json" ? writeJson(source) : writeCsv(source, table);
    return answerFile(watch(chunks), {
      type: format === "json" ? "application/json" : "text/csv; charset=utf-8; header=present",
      name: `${format === "json" ? "report" : table}-${buildFileName(scope)}.${format}`,
    });
  }

  async function readAllowance({ apiKey, pageviewAllowance = Infinity }: ReportKey): Promise<AllowanceUse> {
    const month = monthOf(toDay(now()));
    const limit = Number.isFinite(pageviewAllowance) ? pageviewAllowance : null;
    return { month, used: await reader.countPageviews(apiKey, month), limit };
  }

  async function listSites({ apiKey, origins }: ReportKey): Promise<readonly string[]> {
    return origins === "any" ? await reader.sites(apiKey) : origins;
  }

  async function* watch(chunks: AsyncIterable<string>): AsyncGenerator<string> {
    try {
      yield* chunks;
    } catch (error) {
      // The answer has begun: all that is left is to end it early, which its reader sees as a failed download.
      reportError(error);
      throw error;
    }
  }

  return async (request, asker) => {
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
  };
}

/** How a request asks. */
interface Asking {
  readonly format: Format | Problem;
  readonly address: string | undefined;
}

/** What a request that may be answered asks for. */
interface Asked {
  readonly parameters: URLSearchParams;
  readonly key: ReportKey;
  readonly sites: readonly string[];
  readonly scope: ReportScope;
}

/** Puts the days without events in between. The days of one path have no sessions. */
function fillDays({ from, to }: ReportScope, rows: readonly (DayRow | PageviewRow)[]): readonly DayRow[] {
  const rowOf = new Map(rows.map((row) => [row.day, row]));
  return listDays(from, to).map((day) => {
    const { full, aggregate, total, ...rest } = rowOf.get(day) ?? NO_COUNTS;
    return { day, full, aggregate, total, sessions: "sessions" in rest ? rest.sessions : 0 };
  });
}

function buildFileName({ site, from, to }: ReportScope): string {
  return [site.replace(/^.*:\/\//, "").replace(/[^A-Za-z0-9.-]/g, "-"), from, to].join("-");
}

async function dropBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}
