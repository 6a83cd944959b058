import { monthOf } from "../allowance.ts";
import type { AllowanceUse } from "../reports/options.ts";
import { createReports } from "../reports/reports.ts";
import { describeError } from "./describe_error.ts";
import type { Log } from "./log.ts";
import type { OpenedSink } from "./open_sink.ts";
import type { Route } from "./routes.ts";
import { ServerFault } from "./server_fault.ts";
import { listReportKeys, type ServerKey } from "./settings.ts";

/** What reports are made of. */
export interface ReportRoutesOptions {
  /** Where events are. */
  readonly opened: OpenedSink;
  /** Takes what went wrong. */
  readonly log: Log;
  /** Current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/**
 * Creates the route of the reports; none where no key has a secret.
 *
 * @throws {ServerFault} When there are to be reports of a sink that can't be read.
 */
export function createReportRoutes(
  keys: readonly ServerKey[],
  { opened: { reader, pageviews }, log, now }: ReportRoutesOptions,
): readonly Route[] {
  const reportKeys = listReportKeys(keys);
  if (reportKeys.length === 0) return [];
  if (reader === undefined) throw new ServerFault("reports need the memory sink or a SQLite file");

  async function readUse(apiKey: string): Promise<AllowanceUse | undefined> {
    if (pageviews === undefined) return undefined;
    const time = new Date(now());
    const limit = keys.find((key) => key.apiKey === apiKey)?.pageviewAllowance;
    return {
      used: await pageviews(apiKey, monthOf(time.toISOString())),
      ...(limit !== undefined && { limit }),
      period: time.toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" }),
    };
  }

  return [createReports({
    keys: reportKeys,
    reader,
    now,
    allowance: readUse,
    onError: (error) => log("error", "a report failed", { reason: describeError(error) }),
  })];
}
