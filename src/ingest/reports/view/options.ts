import type { ReportFilter, ReportQuery } from "../../ports/report_query.ts";

/** The query of a view in code: as in that of a request. */
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
   * @default {of the key's, the one with the most events; one of this machine where no other has one}
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
   * @default {that of the key, else "UTC"}
   */
  readonly zone?: string;
  /**
   * Period beside it: as many days before, the same weekdays before, the same days a month before, or the same weekdays
   * a year ago.
   *
   * @default {"before"}
   */
  readonly compare?: "before" | "weeks" | "month" | "year";
  /**
   * Whose events: those of people, of crawlers (`"bots"`), or of own visits.
   *
   * @default {"people"}
   */
  readonly traffic?: ReportQuery["traffic"];
  /**
   * Filters that hold together.
   *
   * @default {none}
   */
  readonly filters?: readonly ReportFilter[];
  /**
   * Most rows of each list, 1 to 10,000. What isn't among them is summed up beside them.
   *
   * @default {10000}
   */
  readonly limit?: number;
}

/** The query of a list in code. */
export interface ReportListOptions {
  /**
   * Column that it is sorted by, such as `"bounceRate"`: what has nothing there comes last.
   *
   * @default {the usual order of the view}
   */
  readonly sort?: string;
  /**
   * With `sort`: whether the largest or the smallest come first.
   *
   * @default {"desc"}
   */
  readonly direction?: "desc" | "asc";
  /**
   * Text that each row has in its name, in any case.
   *
   * @default {any}
   */
  readonly contains?: string;
  /**
   * Number of rows that are passed over.
   *
   * @default {0}
   */
  readonly offset?: number;
  /**
   * Goal whose conversion and value each row gets.
   *
   * @default {none}
   */
  readonly goal?: string;
}

/** Who asks for a report. */
export interface ReportAsker {
  /**
   * Address of the client, to limit wrong secrets by: an IPv4 or IPv6 address, as the runtime names it.
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
