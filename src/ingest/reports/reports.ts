import { isPath } from "../contract/syntax.ts";
import { findPatternProblem } from "../events/path_rules.ts";
import { isLoopback } from "../keys/flag_events.ts";
import { guard } from "../platform/guard.ts";
import type { ReportReader } from "../ports/reader.ts";
import { createAuthenticator, PEOPLE_REFUSED, type ReportKey } from "./access/authenticator.ts";
import { createCoarseReader } from "./access/coarse_reader.ts";
import { checkLinks, createSharing, restrict } from "./access/sharing.ts";
import { LEFT, readLeft } from "./access/leaving.ts";
import { answerFile, answerPage, answerProblem, leadBack, toUnavailable } from "./answers.ts";
import { addPerson, type Asked, readAsked } from "./asked.ts";
import { checkReportKeys } from "./query/check_report_keys.ts";
import { listFilterTexts } from "./query/filters.ts";
import { PERSON_WRONG, readPerson, toPerson } from "./access/person.ts";
import { isRefreshing, REFRESH_S } from "./page/refresh.ts";
import { answerMcp } from "./mcp/route.ts";
import type { ReadJson } from "./mcp/tools.ts";
import { type Format, isProblem, NO_SITE, type Problem, readFormat, readLimit } from "./query/query.ts";
import { readViewJson, writeJson } from "./view_json.ts";
import { buildReportPage } from "./report_page.ts";
import { writeTable } from "./view/csv.ts";
import type { ReportAsker, ReportViewOptions } from "./view/options.ts";
import { MAX_ROWS, type View, type ViewSource } from "./view/view.ts";
import { type Reports, SHARED_VIEWS, VIEWS } from "./views/registry.ts";
import { listParameters } from "./views/view_query.ts";

/** Options of {@linkcode createReports}. */
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
   * Path that the ingest takes events at. A page of a site without events names it in the code for the site.
   *
   * @default {"/v1/events"}
   */
  readonly eventsPath?: string;
  /**
   * Path that agents and other programs ask at, by the Model Context Protocol.
   *
   * @default {"/mcp"}
   */
  readonly mcpPath?: string;
  /**
   * Current time in milliseconds since the Unix epoch; "today" comes from it.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
  /** Hears why a report was `unavailable`: what the reader threw. */
  readonly onError?: (error: unknown) => void;
  /** Hears of each request whose secret is wrong, or that isn't listened to after too many of these. */
  readonly onWrongSecret?: () => void;
}

const [DEFAULT_PATH, DEFAULT_EVENTS_PATH, DEFAULT_MCP_PATH] = ["/reports", "/v1/events", "/mcp"] as const;

/** Says that a text is UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";

const METHOD_NOT_ALLOWED: Problem = {
  status: 405,
  code: "method_not_allowed",
  message: "ask for a report with GET, and for the view person with POST",
};

/**
 * Creates the reports of registered sites: a page, JSON (`format=json`) and CSV (`format=csv`) of each view at one path. A
 * secret key opens the reports of the sites of its publishable key. Agents and other programs read the same at `/mcp`. Mounts wherever a Web-standard handler does; told the
 * address of the client, it limits the wrong secrets of each address by itself.
 *
 * @example
 * ```ts
 * import { createFileReader, createReports, type Reports } from "@vendor/ingest";
 *
 * export async function openReports(): Promise<Reports> {
 *   const key = { apiKey: "pk_live_1", secretKey: `sk_${crypto.randomUUID()}`, origins: ["https://shop.example"] };
 *   return createReports({ keys: [key], reader: createFileReader({ path: "events" }) });
 * }
 * ```
 *
 * @throws {TypeError} When there is no key, or one without a secret; when a secret is weak, publishable or used twice, a
 * pattern begins without a slash, nothing could reach a goal, a note has no day, a link opens what none may, or the path
 * could never match a request.
 */
export function createReports(options: ReportsOptions): Reports {
  const { keys, reader, path = DEFAULT_PATH, eventsPath = DEFAULT_EVENTS_PATH, mcpPath = DEFAULT_MCP_PATH } = options;
  const { now = Date.now } = options;
  if (!isPath(path)) throw new TypeError('path must be one such as "/reports", as a URL has it');
  if (!isPath(mcpPath) || mcpPath === path) throw new TypeError('mcpPath must be another path, such as "/mcp"');
  const patterns = keys.flatMap(({ pathRules }) => pathRules?.patterns ?? []);
  if (patterns.some((pattern) => !pattern.startsWith("/"))) throw new TypeError("a pattern of pathRules begins with /");
  for (const pattern of patterns) {
    const problem = findPatternProblem(pattern);
    if (problem !== undefined) throw new TypeError(`a pattern of pathRules ${problem}`);
  }
  checkReportKeys(keys);
  checkLinks(keys, SHARED_VIEWS);
  const reportError = guard(options.onError);
  const reportWrongSecret = guard(options.onWrongSecret);
  const authenticator = createAuthenticator(keys, now);
  const findShared = createSharing(keys);
  const source: ViewSource = { reader, now };
  /** Finds the source of an answer: nothing is read once the reader has hung up. */
  const findSource = ({ signal }: Request): ViewSource => ({ reader: reader.until?.(signal) ?? reader, now });

  async function respond(request: Request, { format, address, readBody }: Asking): Promise<Response | Problem> {
    const { searchParams } = new URL(request.url);
    const isOfPerson = VIEWS.some(({ name, subject }) => name === searchParams.get("view") && subject === "person");
    const isForm = request.method === "POST" && isOfPerson;
    if (request.method !== "GET" && request.method !== "HEAD" && !isForm) return METHOD_NOT_ALLOWED;
    const authorization = request.headers.get("Authorization");
    const shared = await findShared(searchParams);
    const access = shared ?? await authenticator.find(authorization, address);
    if (isProblem(access)) {
      // A browser's first request carries none: it is made to be asked for the secret.
      if (shared === undefined && (authorization !== null || access.status === 429)) reportWrongSecret();
      return access;
    }
    const byLink = isProblem(shared) ? undefined : shared;
    const parameters = byLink === undefined ? searchParams : restrict(searchParams, byLink);
    if (isProblem(parameters)) return parameters;
    const left = readLeft(searchParams);
    if (left !== null) return left === access.key.apiKey ? LEFT : leadBack();
    if (isProblem(format)) return format;
    if (isOfPerson && !access.mayReadPeople) return PEOPLE_REFUSED;
    const sent = isForm ? await readPerson(request, readBody) : undefined;
    // The page says so beside its form.
    const isWrong = sent === PERSON_WRONG && format === "html";
    if (isProblem(sent) && !isWrong) return sent;
    const exact = findSource(request);
    const source = byLink === undefined ? exact : { ...exact, reader: createCoarseReader(exact.reader) };
    const asked = await readAsked(source, parameters, access.key, byLink?.link.views);
    if (isProblem(asked)) return asked;
    const whole = isProblem(sent) || sent === undefined ? asked : addPerson(asked, sent);
    if (format === "html") {
      const endpoint = findEndpoint(request.url, eventsPath);
      const refreshes = asked.view.span === "minutes" && isRefreshing(searchParams);
      const { mayReadPeople } = access;
      const page = await buildReportPage(source, whole, {
        mayReadPeople,
        isWrong,
        endpoint,
        isRefreshing: refreshes,
        ...(byLink && { shared: byLink }),
      });
      const answer = await answerPage(page, isWrong ? PERSON_WRONG.status : 200);
      if (refreshes) answer.headers.set("Refresh", `${REFRESH_S}`);
      return answer;
    }
    if (isOfPerson && sent === undefined) return PERSON_WRONG;
    const limit = readLimit(searchParams, MAX_ROWS);
    if (isProblem(limit)) return limit;
    return await respondWithFile(source, whole, { format, limit, hasMark: searchParams.get("bom") === "1" });
  }

  async function respondWithFile(source: ViewSource, asked: Asked, form: FileForm): Promise<Response> {
    const { view, request } = asked;
    const { format, limit, hasMark } = form;
    const object = await view.read(source, request, limit);
    const csv = (): string => `${hasMark ? BYTE_ORDER_MARK : ""}${writeTable(view.toTable(object))}`;
    return answerFile(format === "json" ? writeJson(object) : csv(), {
      type: format === "json" ? "application/json" : "text/csv; charset=utf-8; header=present",
      // A table has no place to say it.
      name: `${buildFileName(asked)}${object.damaged === undefined ? "" : "-incomplete"}.${format}`,
    });
  }

  /** Makes a view in code. */
  async function read(view: View, { apiKey, ...options }: ReportViewOptions = {}): Promise<unknown> {
    const { anonymousId, userId, ...others }: Readonly<Record<string, unknown>> = options;
    const person = view.subject === "person" ? toPerson(toParameters({ anonymousId, userId })) : undefined;
    if (isProblem(person)) throw new TypeError(person.message);
    const key = apiKey === undefined ? keys[0] : keys.find((one) => one.apiKey === apiKey);
    if (key === undefined) throw new TypeError("there is no such key");
    const parameters = toParameters({ ...others, view: view.name }, view);
    const asked = await readAsked(source, parameters, key);
    if (isProblem(asked)) throw new TypeError(asked.message);
    const limit = readLimit(parameters, MAX_ROWS);
    if (isProblem(limit)) throw new TypeError(limit.message);
    const { request } = person === undefined ? asked : addPerson(asked, person);
    return await view.read(source, request, limit);
  }

  /** Says that the store can't be read, and to the operator why. */
  function fail(error: unknown): Problem {
    reportError(error);
    return toUnavailable(error);
  }

  async function answerProgram(request: Request, { address, readBody }: ReportAsker = {}): Promise<Response> {
    const onWrongSecret = reportWrongSecret;
    const read: ReadJson = (parameters, access) => readViewJson(findSource(request), parameters, access);
    const answer = await answerMcp(request, { authenticator, address, readBody, onWrongSecret, read, fail }).catch(
      fail,
    );
    return answer instanceof Response ? answer : await answerProblem(answer, "mcp");
  }

  async function answer(request: Request, asker?: ReportAsker): Promise<Response | undefined> {
    // A server puts the address together of what was sent; a Host that is none makes it none.
    if (!URL.canParse(request.url)) return undefined;
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === mcpPath) return await answerProgram(request, asker);
    if (pathname !== path) return undefined;
    const format = readFormat(searchParams);
    const answer = await respond(request, { ...asker, format }).catch(fail);
    const response = answer instanceof Response
      ? answer
      : await answerProblem(answer, isProblem(format) ? "json" : format);
    return request.method === "HEAD" ? await dropBody(response) : response;
  }

  const functions: Record<string, (options: never) => Promise<unknown>> = Object.fromEntries(
    VIEWS.map((view) => [view.name, async (options?: ReportViewOptions) => await read(view, options)]),
  );
  return Object.assign(answer, functions as Pick<Reports, keyof Reports>);
}

/** Form of a request. */
interface Asking extends ReportAsker {
  readonly format: Format | Problem;
}

/** Format of a file. */
interface FileForm {
  readonly format: "json" | "csv";
  /** Most rows of a list. */
  readonly limit: number;
  /** Whether CSV begins with a byte order mark. Excel reads a file without one as of another character set. */
  readonly hasMark: boolean;
}

/** Finds where pages send events, beside where reports are asked for. A proxy before a name on the web took TLS off. */
function findEndpoint(asked: string, eventsPath: string): string {
  const url = new URL(eventsPath, asked);
  const isLocal = isLoopback(url.origin) || !/[a-z]$/i.test(url.hostname) || !url.hostname.includes(".");
  if (!isLocal) url.protocol = "https:";
  return url.href;
}

/** Options of any view. */
type CodeOptions = Pick<ReportViewOptions, "filters"> & Readonly<Record<string, unknown>>;

/** Writes the options of a function as the parameters of a URL. */
function toParameters({ filters = [], ...options }: CodeOptions, view?: View): URLSearchParams {
  const names = new Map(listParameters(view?.parameters ?? {}).map(([name, parameter]) => [name, parameter.name]));
  return new URLSearchParams([
    ...Object.entries(options).flatMap(([name, value]) =>
      [value].flat().filter((one) => one !== undefined).map((one) => [names.get(name) ?? name, String(one)])
    ),
    ...listFilterTexts(filters).map((text) => ["filter", text]),
  ]);
}

function buildFileName({ view, query: { site, from, to } }: Asked): string {
  const name = view.subject === "sites"
    ? []
    : [(site || NO_SITE).replace(/^.*:\/\//, "").replace(/[^A-Za-z0-9.-]/g, "-")];
  return [view.name, ...name, ...(view.span === "days" ? [from, to] : [])].join("-");
}

async function dropBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}
