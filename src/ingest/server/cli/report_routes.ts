import { describeError } from "../../platform/describe_error.ts";
import { createReports } from "../../reports/reports.ts";
import type { Route } from "../http/app.ts";
import { leadToReports } from "../http/lead_to_reports.ts";
import type { Log } from "../ops/log.ts";
import type { RefusalLog } from "../ops/refusal_log.ts";
import { ServerFault } from "../ops/server_fault.ts";
import type { ServerKey } from "./keys_file.ts";
import type { OpenedSink } from "./open_sink.ts";
import { listReportKeys } from "./settings.ts";

/** The parts that reports are made of. */
export interface ReportRoutesOptions {
  /** Where events are. */
  readonly opened: OpenedSink;
  /** Takes what went wrong. */
  readonly log: Log;
  /** Current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Hears of wrong secrets. */
  readonly refusals: Pick<RefusalLog, "add">;
  /**
   * Path that takes events.
   *
   * @default {"/v1/events"}
   */
  readonly eventsPath?: string;
}

/**
 * Creates the route of the reports; none where no key has a secret.
 *
 * @throws {ServerFault} When there are to be reports, or alerts, of a sink that can't be read.
 */
export function createReportRoutes(
  keys: readonly ServerKey[],
  { opened: { reader }, log, now, refusals, eventsPath }: ReportRoutesOptions,
): readonly Route[] {
  const reportKeys = listReportKeys(keys);
  const hasAlerts = keys.some(({ alertWebhook }) => alertWebhook !== undefined);
  if (reader === undefined && (reportKeys.length > 0 || hasAlerts)) {
    const what = reportKeys.length > 0 ? "reports" : "alerts";
    throw new ServerFault(`this sink has no ${what}: they need a folder, or --reports clickhouse:URL`);
  }
  if (reader === undefined || reportKeys.length === 0) return [];

  const reports = createReports({
    keys: reportKeys,
    reader,
    now,
    ...(eventsPath !== undefined && { eventsPath }),
    onWrongSecret: () => refusals.add({ code: "wrong_report_secret" }),
    onError: (error) => log("error", "a report failed", { reason: describeError(error) }),
  });
  return [async (request, sender) => leadToReports(request) ?? await reports(request, sender)];
}
