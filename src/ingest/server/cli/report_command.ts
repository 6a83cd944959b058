import type { Writable } from "node:stream";
import * as v from "valibot";
import { addDays, countDaysOfWeek, type WeekStart } from "../../reports/query/days.ts";
import { isProblem, type Range, readRange, type Today } from "../../reports/query/query.ts";
import { readSummary, writeSummaryHtml, writeSummaryText } from "../../reports/summary.ts";
import { createZone, toZoneDay, type Zone } from "../../reports/query/zones.ts";
import { describeError } from "../../platform/describe_error.ts";
import type { DamagedFile } from "../../ports/reader.ts";
import type { Variables } from "./clean_value.ts";
import { listUsed, OF_STORE, readPlace, type StorePlace } from "./store_place.ts";
import { type Command, readFlags, type Values as ValuesOf } from "./flags.ts";
import {
  checkDamaged,
  type KeySettings,
  OF_KEY,
  openPatiently,
  readKeySettings,
  readReportRequest,
} from "./report_place.ts";
import { ServerFault, UsageFault } from "../ops/server_fault.ts";
import { oneOf, pickSet } from "./shared_flags.ts";
import { writeNewFile } from "./target_file.ts";

const PERIODS = ["day", "week", "month"] as const;

const FORMATS = ["text", "html"] as const;

const COMMAND = {
  name: "report",
  usage: `Usage: vendor-ingest report --key KEY [options]

Prints a summary of a site for mail: figures beside the period before, pages, channels and steps. It names nobody. With
the keys file of the server it has the key's goals and notes, and counts paths and sources by its settings.`,
  flags: {
    ...OF_STORE,
    ...OF_KEY,
    site: { value: "ORIGIN", schema: v.string(), help: "its site (default: the one with the most events)" },
    last: {
      ...oneOf("PERIOD", PERIODS),
      isCommandLineOnly: true,
      help: "the last whole day, week (from Monday, or the key's weekStart) or month",
    },
    from: {
      value: "DAY",
      schema: v.string(),
      isCommandLineOnly: true,
      help: "first day, 2026-01-31, in place of --last",
    },
    to: { value: "DAY", schema: v.string(), isCommandLineOnly: true, help: "last day (default: today)" },
    zone: {
      value: "ZONE",
      schema: v.string(),
      help: "time zone of the days, such as Europe/Berlin (default: the key's, else UTC)",
    },
    format: { ...oneOf("FORMAT", FORMATS), default: "text", help: "text or html" },
    out: {
      value: "FILE",
      schema: v.string(),
      isCommandLineOnly: true,
      help: "a new file that nobody else can read; - is the output (default: the output)",
    },
  },
  notes: "Each --some-name but --last, --from, --to and --out can be the variable INGEST_SOME_NAME.",
} satisfies Command;

/** `report`. */
export const REPORT: Command = COMMAND;

/** The parsed command. */
export interface ReportCommand extends KeySettings {
  /** Where the events are. */
  readonly place: StorePlace;
  /** Origin of the site; the one with the most events where it's absent. */
  readonly site?: string;
  /** First and last day. */
  readonly range: Range;
  /** Their zone. */
  readonly zone: Zone;
  /** When it is, in milliseconds since the Unix epoch. */
  readonly now: number;
  /** Its format. */
  readonly format: typeof FORMATS[number];
  /** Path of the file, or `-`; absent for the output. */
  readonly out?: string;
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
  const given = readFlags(COMMAND, { args, variables });
  if (typeof given === "string") return "help";
  const { site, format, out, ...values } = given.values;
  const settings = readKeySettings(values);
  const zone = createZone(values.zone ?? settings.key?.zone ?? "UTC");
  if (zone === undefined) throw new ServerFault("zone must be a time zone such as Europe/Berlin");
  const range = readDays(values, {
    today: { day: toZoneDay(zone, now), zone: zone.name },
    ...pickSet({ weekStart: settings.key?.weekStart }),
  });
  return { place: readPlace(values), ...settings, ...pickSet({ site, out }), range, zone, now, format };
}

function readDays(
  { last, from, to }: Pick<ValuesOf<typeof COMMAND.flags>, "last" | "from" | "to">,
  { today, weekStart }: { readonly today: Today; readonly weekStart?: WeekStart },
): Range {
  if (from === undefined && to === undefined) return findLast(last ?? "week", { today: today.day, weekStart });
  if (last !== undefined) throw new ServerFault("last goes without from and to");
  const range = readRange(new URLSearchParams({ ...(from && { from }), ...(to && { to }) }), today);
  if (isProblem(range)) throw new ServerFault(range.message);
  return range;
}

/** Finds the last day, week or month that is over. */
function findLast(
  period: typeof PERIODS[number],
  { today, weekStart }: { readonly today: string; readonly weekStart: WeekStart | undefined },
): Range {
  if (period === "day") return { from: addDays(today, -1), to: addDays(today, -1) };
  if (period === "week") {
    const first = addDays(today, -countDaysOfWeek(today, weekStart));
    return { from: addDays(first, -7), to: addDays(first, -1) };
  }
  const to = addDays(`${today.slice(0, "2026-01".length)}-01`, -1);
  return { from: `${to.slice(0, "2026-01".length)}-01`, to };
}

/**
 * Makes the summary; returns what is to be printed. `onDamaged` hears of the files that can't be read, and aren't counted.
 *
 * @throws {ServerFault} When the store can't be read, or has nothing of the key.
 */
export async function runReportCommand(
  command: ReportCommand,
  onDamaged?: (files: readonly DamagedFile[]) => void,
): Promise<string> {
  const { place, apiKey, key, site, range, zone, now, format } = command;
  try {
    const reader = await openPatiently(place);
    try {
      const asked = await readReportRequest(reader, {
        apiKey,
        ...pickSet({ key, site }),
        range,
        zone,
        compare: "before",
      });
      const summary = await readSummary({ reader, now: () => now }, asked);
      onDamaged?.(await reader.damaged?.() ?? []);
      return format === "html" ? writeSummaryHtml(summary) : writeSummaryText(summary);
    } finally {
      await reader.close();
    }
  } catch (cause) {
    if (cause instanceof UsageFault) throw cause;
    throw new ServerFault(describeError(cause), { cause });
  }
}

/**
 * Makes the summary, and writes it to the file that was asked for, or to the output.
 *
 * @throws {ServerFault} When it can't be made, or written, and once it is written where files can't be read.
 */
export async function writeReport(command: ReportCommand, output: Writable): Promise<void> {
  const damaged: DamagedFile[] = [];
  const text = await runReportCommand(command, (files) => damaged.push(...files));
  try {
    await writeNewFile([text], { out: command.out, output, used: listUsed(command.place) });
    checkDamaged(damaged);
  } catch (cause) {
    throw new ServerFault(describeError(cause), { cause });
  }
}
