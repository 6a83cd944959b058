import * as v from "valibot";
import { describeError } from "../../platform/describe_error.ts";
import { type Alert, findAlerts, isWebhook, USUAL_RULES, WEBHOOK_RULE } from "../../reports/alerts.ts";
import { addDays, isDay } from "../../reports/query/days.ts";
import { createZone, toZoneDay, type Zone } from "../../reports/query/zones.ts";
import { ServerFault, UsageFault } from "../ops/server_fault.ts";
import type { Variables } from "./clean_value.ts";
import type { ReportReader } from "../../ports/reader.ts";
import { OF_STORE, readPlace, type StorePlace } from "./store_place.ts";
import { type Command, readFlags } from "./flags.ts";
import {
  checkDamaged,
  type KeySettings,
  OF_KEY,
  openPatiently,
  readKeySettings,
  readReportRequest,
} from "./report_place.ts";
import { pickSet } from "./shared_flags.ts";

/** Exit code where a figure has changed as a rule says. */
export const EXIT_ALERT = 3;

const COMMAND = {
  name: "alert",
  usage: `Usage: vendor-ingest alert --key KEY [options]

Compares yesterday with the same weekday a week before, by the rules "alerts" of the key in the keys file. Without rules
it tells when the share of pageviews with consent has fallen to half. It prints a line for each alert, and exits ${EXIT_ALERT} where
there is one, 0 where there is none. For a timer: run it each morning.`,
  flags: {
    ...OF_STORE,
    ...OF_KEY,
    site: { value: "ORIGIN", schema: v.string(), help: "its site (default: the one with the most events)" },
    day: {
      value: "DAY",
      schema: v.string(),
      isCommandLineOnly: true,
      help: "the day, 2026-01-31 (default: yesterday)",
    },
    zone: {
      value: "ZONE",
      schema: v.string(),
      help: "time zone of the days, such as Europe/Berlin (default: the key's, else UTC)",
    },
    webhook: {
      value: "URL",
      schema: v.string(),
      isSecret: true,
      help: 'gets a POST with JSON, {"text", "site", "day", "alerts"}, where there is an alert',
    },
  },
  notes: "Each --some-name but --day can be the variable INGEST_SOME_NAME.",
} satisfies Command;

/** `alert`. */
export const ALERT: Command = COMMAND;

/** Settings of `alert`. */
export interface AlertCommand extends KeySettings {
  /** Where the events are. */
  readonly place: StorePlace;
  /** Origin of the site; the one with the most events where it's absent. */
  readonly site?: string;
  /** The day. */
  readonly day: string;
  /** Its zone. */
  readonly zone: Zone;
  /** Address that hears of alerts. */
  readonly webhook?: string;
}

/**
 * Reads the arguments of the command.
 *
 * @throws {ServerFault} With what is wrong.
 */
export function parseAlertCommand(
  args: readonly string[],
  { variables, now }: { readonly variables: Variables; readonly now: number },
): AlertCommand | "help" {
  const given = readFlags(COMMAND, { args, variables });
  if (typeof given === "string") return "help";
  const { site, day: wanted, zone: zoneName, webhook, ...values } = given.values;
  const settings = readKeySettings(values);
  const zone = createZone(zoneName ?? settings.key?.zone ?? "UTC");
  if (zone === undefined) throw new ServerFault("zone must be a time zone such as Europe/Berlin");
  const day = wanted ?? addDays(toZoneDay(zone, now), -1);
  if (!isDay(day)) throw new ServerFault("day must be a day that exists, written as 2026-01-31");
  if (webhook !== undefined && !isWebhook(webhook)) throw new ServerFault(`webhook ${WEBHOOK_RULE}`);
  return { place: readPlace(values), ...settings, ...pickSet({ site, webhook }), day, zone };
}

/** Options of {@linkcode runAlertCommand}. */
export interface AlertTools {
  /** Current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Takes the line of an alert. */
  readonly show: (line: string) => void;
  /** Sends alerts. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/**
 * Looks for alerts, shows their lines, and tells the webhook of them; returns how many there are.
 *
 * @throws {ServerFault} When the store, or a file of it, can't be read, has nothing of the key, or the webhook doesn't take them.
 */
export async function runAlertCommand(command: AlertCommand, { now, show, fetch }: AlertTools): Promise<number> {
  const { place, day, webhook, key, ...others } = command;
  try {
    const reader = await openPatiently(place);
    try {
      const { site, alerts } = await lookAtDay(reader, { ...others, ...pickSet({ key }), day }, now);
      const lines = alerts.map(({ text }) => text);
      // Before the webhook is told, which may not take them.
      lines.forEach((line) => show(line));
      // Without the events of a file, figures have fallen by those: whoever reads the lines reads this too.
      checkDamaged(await reader.damaged?.() ?? []);
      if (webhook !== undefined && alerts.length > 0) {
        await tellWebhook(fetch, webhook, { site, day, alerts });
      }
      return lines.length;
    } finally {
      await reader.close();
    }
  } catch (cause) {
    if (cause instanceof UsageFault) throw cause;
    throw new ServerFault(describeError(cause), { cause });
  }
}

/** A day of a site that is looked at. */
export interface LookedAt extends KeySettings {
  /** Origin of the site; the one with the most events where it's absent. */
  readonly site?: string;
  /** The day. */
  readonly day: string;
  /** Its zone. */
  readonly zone: Zone;
}

/**
 * Looks at a day by the rules of the key.
 *
 * @throws {ServerFault} When there is no such site.
 */
export async function lookAtDay(
  reader: ReportReader,
  { day, key, ...others }: LookedAt,
  now: () => number,
): Promise<Pick<AlertMessage, "site" | "alerts">> {
  const range = { from: day, to: day };
  const request = await readReportRequest(reader, { ...others, ...pickSet({ key }), range, compare: "weeks" });
  return { site: request.site, alerts: await findAlerts({ reader, now }, request, key?.alerts ?? USUAL_RULES) };
}

/** Message to a webhook. */
interface AlertMessage {
  readonly site: string;
  readonly day: string;
  readonly alerts: readonly Alert[];
}

/** Milliseconds that a webhook may take. */
const WEBHOOK_MS = 30_000;

/**
 * Tells a webhook of alerts.
 *
 * @throws {Error} When it doesn't take them.
 */
export async function tellWebhook(fetch: AlertTools["fetch"], url: string, message: AlertMessage): Promise<void> {
  const text = message.alerts.map((alert) => alert.text).join("\n");
  const answer = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ text, ...message }),
    // A POST that is led elsewhere arrives as a GET without the message, and a page to sign in answers it with 200.
    redirect: "manual",
    signal: AbortSignal.timeout(WEBHOOK_MS),
  }).catch(() => undefined); // without the address in its message: whoever knows that can write there
  await answer?.body?.cancel();
  if (!answer?.ok) throw new Error(`the webhook didn't take the alert: ${answer?.status ?? "it can't be reached"}`);
}
