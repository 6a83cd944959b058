/**
 * What a user of the reports passes in.
 *
 * @module
 */
import type { IngestKey } from "../options.ts";
import type { ReportReader } from "./reader.ts";

/** A publishable key whose reports can be read, and the secret that opens them. */
export interface ReportKey extends Pick<IngestKey, "apiKey" | "origins" | "pageviewAllowance"> {
  /**
   * Secret key: at least 16 printable ASCII characters without spaces, 6 of them different, of no other key. Never goes
   * into a page, a URL or a log.
   */
  readonly secretKey: string;
}

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
