import { NO_PATH_RULES } from "../../events/path_rules.ts";
import { addDays } from "../../reports/days.ts";
import { isProblem, type Range, readRange, type Today } from "../../reports/query.ts";
import { readSummary, writeSummaryHtml, writeSummaryText } from "../../reports/summary.ts";
import { createViews } from "../../reports/views.ts";
import { createZone, toZoneDay, type Zone } from "../../reports/zones.ts";
import { createClickHouseReader } from "../../stores/clickhouse/clickhouse_reader.ts";
import { createSqliteReader } from "../../stores/sqlite/sqlite_reader.ts";
import { describeError } from "../../platform/describe_error.ts";
import type { Variables } from "./clean_value.ts";
import { type DataPlace, readPlace } from "./data_command.ts";
import { type Flag, FLAGS, listFlags, readValues } from "./flags.ts";
import { ServerFault } from "../ops/server_fault.ts";

const PERIODS = ["day", "week", "month"] as const;

const FORMATS = ["text", "html"] as const;

const SHARED = ["clickhouse-user", "clickhouse-password", "clickhouse-database"];

const REPORT_FLAGS: readonly Flag[] = [
  { name: "sink", value: "SINK", fallback: "sqlite:events.db", help: "sqlite:PATH or clickhouse:URL" },
  ...FLAGS.filter(({ name }) => SHARED.includes(name)),
  { name: "key", value: "KEY", help: "publishable key that the events were sent with" },
  { name: "site", value: "ORIGIN", help: "its site (default: the one with the most events)" },
  { name: "last", value: "PERIOD", help: "the last whole day, week (from Monday) or month (default: week)" },
  { name: "from", value: "DAY", help: "first day, 2026-01-31, in place of --last" },
  { name: "to", value: "DAY", help: "last day (default: today)" },
  { name: "zone", value: "ZONE", fallback: "UTC", help: "time zone of the days, Europe/Berlin" },
  { name: "format", value: "FORMAT", fallback: "text", help: "text or html" },
  { name: "help", help: "shows this text" },
];

/** The help text of the command. */
export const REPORT_USAGE: string = `Usage: vendor-ingest report --key KEY [options]

Prints a summary of a site for mail: figures beside the period before, pages, channels and steps. It names nobody.

${listFlags(REPORT_FLAGS)}

Each --some-name can be the variable INGEST_SOME_NAME.`;

/** What was asked for. */
export interface ReportCommand {
  /** Where the events are. */
  readonly place: DataPlace;
  /** Publishable key. */
  readonly apiKey: string;
  /** Origin of the site; the one with the most events where it's absent. */
  readonly site?: string;
  /** First and last day. */
  readonly range: Range;
  /** Their zone. */
  readonly zone: Zone;
  /** When it is, in milliseconds since the Unix epoch. */
  readonly now: number;
  /** How it is written. */
  readonly format: typeof FORMATS[number];
}

/**
 * Reads the arguments of the command.
 *
 * @throws {ServerFault} With what is wrong.
 */
export function parseReportCommand(
  args: readonly string[],
  { variables, now }: { readonly variables: Variables; readonly now: number },
): ReportCommand | "help" {
  const values: Readonly<Record<string, unknown>> = readValues(args, variables, REPORT_FLAGS);
  const read = (name: string): string | undefined => typeof values[name] === "string" ? values[name] : undefined;
  if (values.help === true) return "help";
  const apiKey = read("key");
  if (!apiKey) throw new ServerFault("there is no key: name one with --key KEY");
  const format = FORMATS.find((name) => name === read("format"));
  if (format === undefined) throw new ServerFault(`format must be one of ${FORMATS.join(", ")}`);
  const zone = createZone(read("zone") ?? "");
  if (zone === undefined) throw new ServerFault("zone must be a time zone such as Europe/Berlin");
  const today = { day: toZoneDay(zone, now), zone: zone.name };
  const site = read("site");
  return {
    place: readPlace(Object.fromEntries(["sink", ...SHARED].map((name) => [name, read(name)])), variables),
    apiKey,
    ...(site !== undefined && { site }),
    range: readDays({ last: read("last"), from: read("from"), to: read("to") }, today),
    zone,
    now,
    format,
  };
}

interface Days {
  readonly last: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

function readDays({ last, from, to }: Days, today: Today): Range {
  if (from !== undefined || to !== undefined) {
    if (last !== undefined) throw new ServerFault("last goes without from and to");
    const range = readRange(new URLSearchParams({ ...(from && { from }), ...(to && { to }) }), today);
    if (isProblem(range)) throw new ServerFault(range.message);
    return range;
  }
  const period = PERIODS.find((name) => name === (last ?? "week"));
  if (period === undefined) throw new ServerFault(`last must be one of ${PERIODS.join(", ")}`);
  return findLast(period, today.day);
}

/** Finds the last day, week or month that is over. */
function findLast(period: typeof PERIODS[number], today: string): Range {
  if (period === "day") return { from: addDays(today, -1), to: addDays(today, -1) };
  if (period === "week") {
    const monday = addDays(today, -((new Date(today).getUTCDay() + 6) % 7));
    return { from: addDays(monday, -7), to: addDays(monday, -1) };
  }
  const to = addDays(`${today.slice(0, "2026-01".length)}-01`, -1);
  return { from: `${to.slice(0, "2026-01".length)}-01`, to };
}

/**
 * Makes the summary; returns what is to be printed.
 *
 * @throws {ServerFault} When the store can't be read, or has nothing of the key.
 */
export async function runReportCommand(command: ReportCommand): Promise<string> {
  const { place, apiKey, site, range, zone, now, format } = command;
  try {
    const reader = place.kind === "sqlite"
      ? await createSqliteReader(place)
      : await createClickHouseReader(place.options);
    try {
      const sites = await reader.sites(apiKey);
      const chosen = site ?? sites[0];
      if (chosen === undefined) {
        throw new Error("no event of a site was ever stored under this key: is it the right one?");
      }
      const summary = await readSummary(createViews(reader, () => now), {
        apiKey,
        site: chosen,
        ...range,
        zone,
        compare: "before",
        filters: [],
        by: "channel",
        ownOrigins: [],
        pathRules: NO_PATH_RULES,
        allowance: null,
      });
      return format === "html" ? writeSummaryHtml(summary) : writeSummaryText(summary);
    } finally {
      await reader.close();
    }
  } catch (cause) {
    throw new ServerFault(describeError(cause), { cause });
  }
}
