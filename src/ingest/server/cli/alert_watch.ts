import { describeError } from "../../platform/describe_error.ts";
import type { ReportReader } from "../../ports/reader.ts";
import { isLoopback } from "../../keys/flag_events.ts";
import { addDays } from "../../reports/query/days.ts";
import { createZone, toZoneDay, UTC, type Zone } from "../../reports/query/zones.ts";
import type { Log } from "../ops/log.ts";
import { type AlertTools, lookAtDay, type LookedAt, tellWebhook } from "./alert_command.ts";
import type { ServerKey } from "./keys_file.ts";
import { checkDamaged } from "./report_place.ts";

/** Options of {@linkcode watchAlerts}. */
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

/** A day of a site that couldn't be looked at, or told. */
interface Failure {
  readonly day: string;
  /** Failures in a row. */
  readonly times: number;
  /** The look that tries it again. */
  readonly nextLook: number;
}

/** Milliseconds between two looks whether a day is over. */
const TICK_MS = 10 * 60 * 1000;

const HOUR_MS = 60 * 60 * 1000;

/** Milliseconds from the end of a day to the look at it: browsers send late what they couldn't send at once. */
const LATE_MS = HOUR_MS;

/** Milliseconds from its end for which a day is news for a server that starts. */
const NEWS_MS = 12 * HOUR_MS;

/** Most looks after which a failure is tried again: at the next one first, then after twice as many each time. */
const MAX_WAIT_LOOKS = 12;

/** Most failures that a line of the log says. */
const MAX_REASONS = 10;

/**
 * Looks at each day of the keys that have an `alertWebhook`, an hour after its end, by their rules, and tells the webhook of
 * each site where a figure has changed. What fails is tried again, after a longer wait each time. Of the days before the
 * start, it looks at one that ended less than 12 hours ago, which it may have told before a restart.
 */
export function watchAlerts({ keys, reader, log, now, fetch }: AlertWatchOptions): AlertWatch {
  // The last day that was looked at: of a key as it counts when it was first seen, then of each of its sites.
  const seen = new Map<string, string>();
  const failures = new Map<string, Failure>();
  let [isStopped, isBusy] = [false, false];
  let looks = 0;

  function findZone({ zone = UTC.name }: ServerKey): Zone {
    return createZone(zone) ?? UTC;
  }

  /** Returns the last day that has been over for so long. */
  function findDayOver(key: ServerKey, durationMs: number): string {
    return addDays(toZoneDay(findZone(key), now() - durationMs), -1);
  }

  function addKeys(): void {
    for (const key of keys()) if (!seen.has(key.apiKey)) seen.set(key.apiKey, findDayOver(key, NEWS_MS));
  }

  /** Looks at a day of a site, and tells the webhook; rejects where it can't. */
  async function lookAtSite(looked: LookedAt & { readonly site: string }, alertWebhook: string): Promise<void> {
    const { key, site, day } = looked;
    const { alerts } = await lookAtDay(reader, looked, now);
    // Without the events of a file, figures have fallen by those.
    checkDamaged(await reader.damaged?.() ?? []);
    if (isStopped) return;
    if (alerts.length > 0) await tellWebhook(fetch, alertWebhook, { site, day, alerts });
    log("info", "a day was looked at for alerts", { key: key?.name ?? "", site, day, alerts: alerts.length });
  }

  /** Looks at the sites of a key whose day is due; returns the reasons of those that failed. */
  async function lookAtKey(key: ServerKey): Promise<readonly string[]> {
    const { apiKey, origins, alertWebhook } = key;
    if (alertWebhook === undefined) return [];
    const day = findDayOver(key, LATE_MS);
    const reasons: string[] = [];
    for (const site of await reader.sites(apiKey)) {
      const isOf = (origins === "any" || origins.includes(site)) && !isLoopback(site);
      const ofSite = `${apiKey} ${site}`;
      if (isStopped || !isOf || (seen.get(ofSite) ?? seen.get(apiKey) ?? "") >= day) continue;
      const failure = failures.get(ofSite);
      const isRepeat = failure?.day === day;
      if (isRepeat && looks < failure.nextLook) continue;
      const times = isRepeat ? failure.times : 0;
      try {
        await lookAtSite({ apiKey, key, site, day, zone: findZone(key) }, alertWebhook);
        seen.set(ofSite, day);
        failures.delete(ofSite);
      } catch (error) {
        failures.set(ofSite, { day, times: times + 1, nextLook: looks + Math.min(2 ** times, MAX_WAIT_LOOKS) });
        reasons.push(`${site}: ${describeError(error)}`);
      }
    }
    return reasons;
  }

  async function look(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    looks++;
    addKeys();
    const reasons: string[] = [];
    for (const key of keys()) {
      const failed = await lookAtKey(key).catch((error: unknown) => [describeError(error)]);
      reasons.push(...failed.map((reason) => key.name === undefined ? reason : `${key.name}, ${reason}`));
    }
    // In one line: the log leaves out what has the same message.
    if (reasons.length > 0 && !isStopped) {
      log("error", "alerts failed", { failed: reasons.length, reason: reasons.slice(0, MAX_REASONS).join("; ") });
    }
    isBusy = false;
  }

  addKeys();
  const timer = setInterval(() => void look(), TICK_MS);
  return {
    stop: () => {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
