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
  { opened: { reader }, log, now }: ReportRoutesOptions,
): readonly Route[] {
  const reportKeys = listReportKeys(keys);
  if (reportKeys.length === 0) return [];
  if (reader === undefined) throw new ServerFault("reports need the memory sink or a SQLite file");

  const reports = createReports({
    keys: reportKeys,
    reader,
    now,
    onError: (error) => log("error", "a report failed", { reason: describeError(error) }),
  });
  return [reports];
}
