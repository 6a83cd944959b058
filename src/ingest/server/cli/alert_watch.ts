import { describeError } from "../../platform/describe_error.ts";
import type { ReportReader } from "../../ports/reader.ts";
import { isLoopback } from "../../keys/flag_events.ts";
import { addDays } from "../../reports/query/days.ts";
import { createZone, toZoneDay, UTC, type Zone } from "../../reports/query/zones.ts";
import type { Log } from "../ops/log.ts";
import { type AlertTools, lookAtDay, tellWebhook } from "./alert_command.ts";
import type { ServerKey } from "./keys_file.ts";

/** What {@linkcode watchAlerts} takes. */
export interface AlertWatchOptions extends Pick<AlertTools, "now" | "fetch"> {
  /** Returns the keys, those of the moment. */
  readonly keys: () => readonly ServerKey[];
  /** Counts for the rules. */
  readonly reader: ReportReader;
  readonly log: Log;
}

/** Looks for alerts, until it's stopped. */
export interface AlertWatch {
  /** Ends it; what is under way isn't told any more. */
  stop(): void;
}

/** How often it looks whether a day is over. */
const TICK_MS = 10 * 60 * 1000;

/** How long after its end a day is looked at: browsers send late what they couldn't send at once. */
const LATE_MS = 60 * 60 * 1000;

/**
 * Looks at each day of the keys that have an `alertWebhook`, an hour after its end, by their rules, and tells the webhook of
 * each site where a figure has changed. What fails is tried again. A day that was over at the start was looked at before.
 */
export function watchAlerts({ keys, reader, log, now, fetch }: AlertWatchOptions): AlertWatch {
  // The last day that was looked at: of a key when it was first seen, then of each of its sites.
  const seen = new Map(keys().map((key) => [key.apiKey, findDue(key)]));
  let [isStopped, isBusy] = [false, false];

  function findZone({ zone = UTC.name }: ServerKey): Zone {
    return createZone(zone) ?? UTC;
  }

  function findDue(key: ServerKey): string {
    return addDays(toZoneDay(findZone(key), now() - LATE_MS), -1);
  }

  async function lookAtKey(key: ServerKey): Promise<void> {
    const { apiKey, origins, alertWebhook } = key;
    const day = findDue(key);
    if (!seen.has(apiKey)) seen.set(apiKey, day);
    const ofSite = (site: string): string => `${apiKey} ${site}`;
    if (alertWebhook === undefined) return;
    for (const site of await reader.sites(apiKey)) {
      const isOf = (origins === "any" || origins.includes(site)) && !isLoopback(site);
      if (isStopped || !isOf || (seen.get(ofSite(site)) ?? seen.get(apiKey)) === day) continue;
      const { alerts } = await lookAtDay(reader, { apiKey, key, site, day, zone: findZone(key) }, now);
      if (isStopped) return;
      if (alerts.length > 0) await tellWebhook(fetch, alertWebhook, { site, day, alerts });
      log("info", "a day was looked at for alerts", { key: key.name ?? "", site, day, alerts: alerts.length });
      seen.set(ofSite(site), day);
    }
  }

  async function look(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    for (const key of keys()) {
      try {
        await lookAtKey(key);
      } catch (error) {
        if (!isStopped) log("error", "alerts failed", { key: key.name ?? "", reason: describeError(error) });
      }
    }
    isBusy = false;
  }

  const timer = setInterval(() => void look(), TICK_MS);
  return {
    stop: () => {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
