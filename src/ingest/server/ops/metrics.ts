import { Gauge, Histogram, type Registry } from "prom-client";
import type { IngestOutcome } from "../../options.ts";
import { REFUSAL_STATUSES } from "../../contract/refusal.ts";
import { type Cell, createLabelledCounter, type LabelledCounter } from "./labelled_counter.ts";
import { isPageview, type StoredEvent } from "../../events/stored_event.ts";

/** Counts what the ingest does. No metric holds a key or anything of an event but its collection, and its name
 * where a plan has that. */
export interface IngestMetrics {
  /** Shows what may be counted from now on, as zero: a counter that appears with its first event hides that one. */
  expect(labels: ExpectedLabels): void;
  /** Counts an answered request by status and by the time it took in milliseconds. */
  answered(status: number, durationMs: number): void;
  /** Counts a request that was turned away before the ingest saw it, or while it was at work. */
  turnedAway(code: string): void;
  /** Counts a body whose arrival a bound ended. */
  bodyRefused(bound: string): void;
  /** Counts what became of a request. */
  outcome(outcome: IngestOutcome): void;
  /** Counts stored events of a key. */
  events(events: readonly StoredEvent[], keyName: string): void;
  /** Returns how many requests were answered. */
  total(): number;
}

/** Labels of counters. */
export interface ExpectedLabels {
  /** Names of the keys. */
  readonly keyNames: readonly string[];
  /** Names that the plan has. */
  readonly stepNames: readonly string[];
}

/** Options of {@linkcode createIngestMetrics}. */
export interface IngestMetricsOptions {
  /** Codes of requests that are turned away before the ingest sees them, or while they are at work. */
  readonly busyCodes: readonly string[];
  /** Names of the bounds that end the arrival of a body. */
  readonly bounds: readonly string[];
  /** Returns how many requests are at work. */
  readonly pending: () => number;
  /** Returns how many bodies are on their way. */
  readonly bodies: () => number;
  /** Returns how many bytes of them are here. */
  readonly bodyBytes: () => number;
  /** Returns how many bytes the write-ahead log of the tail has; the metric is 0 where it is absent. */
  readonly logBytes?: () => number;
}

/** Upper bounds of the latency histogram in seconds. */
const LATENCY_BOUNDS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const STATUSES: readonly number[] = [202, 204, ...new Set(Object.values(REFUSAL_STATUSES))];

/** Why the ingest refuses requests whose key it doesn't know. */
const KEYLESS_CODES: readonly string[] = [
  "malformed",
  "unknown_key",
  "not_found",
  "method_not_allowed",
  "unavailable",
];

/** Why requests are refused with a key. */
const KEY_CODES: readonly string[] = [
  ...Object.keys(REFUSAL_STATUSES).filter((code) => !/^(unknown_key|not_found|method_not_allowed)$/.test(code)),
  "refused_by_sink",
];

const PREFIX = "vendor_ingest_";

/** Counters of a key. */
interface KeyCells extends Readonly<Record<"accepted" | "duplicates" | "erased" | "overAllowance", Cell>> {
  readonly views: Readonly<Record<StoredEvent["collection"], Cell>>;
}

/** Creates the metrics of a server, in a registry of Prometheus' client. */
export function createIngestMetrics(
  registry: Registry,
  { busyCodes, bounds, pending, bodies, bodyBytes, logBytes = () => 0 }: IngestMetricsOptions,
): IngestMetrics {
  const registers = [registry];
  const count = (name: string, help: string, ...labelNames: string[]): LabelledCounter =>
    createLabelledCounter({ name: PREFIX + name, help, labelNames, registers });
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name: PREFIX + name,
      help,
      registers,
      collect(): void {
        this.set(read());
      },
    });
  };

  const requests = count("requests_total", "Requests answered, by status.", "status");
  const accepted = count("events_accepted_total", "Events stored for the first time, by key.", "key");
  const duplicates = count("events_duplicate_total", "Events that were stored before, by key.", "key");
  const erased = count("events_erased_total", "Events left out, since an erasure names them, by key.", "key");
  const collections = count("events_collected_total", "Events stored for the first time, by collection.", "collection");
  const views = count(
    "pageviews_collected_total",
    "Pageviews stored for the first time, by key and collection: full with consent, aggregate before it.",
    "collection",
    "key",
  );
  const refused = count("refused_total", "Requests refused, by code and key.", "code", "key");
  const overAllowance = count("pageviews_over_allowance_total", "Pageviews stored past the allowance, by key.", "key");
  const violations = count(
    "plan_violations_total",
    "Events that break the plan, by name, kind and key; without a name those that the plan doesn't have.",
    "name",
    "kind",
    "key",
  );
  const bounded = count("bodies_refused_total", "Bodies refused while they arrived, by the bound.", "bound");
  const latency = new Histogram({
    name: `${PREFIX}request_duration_seconds`,
    help: "Time from a request's headers to its answer.",
    buckets: LATENCY_BOUNDS_S,
    registers,
  });
  gauge("requests_pending", "Requests at work.", pending);
  gauge("bodies_waiting", "Bodies that are on their way.", bodies);
  gauge("bodies_waiting_bytes", "Bytes that wait for the rest of their bodies.", bodyBytes);
  gauge("sqlite_log_bytes", "Bytes of SQLite's write-ahead log.", logBytes);

  let total = 0;
  const ofKeys = new Map<string, KeyCells>();

  for (const status of STATUSES) requests(String(status));
  const ofCollections = { full: collections("full"), aggregate: collections("aggregate") };
  for (const code of [...KEYLESS_CODES, ...busyCodes]) refused(code, "");
  for (const bound of bounds) bounded(bound);

  function findKey(key: string): KeyCells {
    const known = ofKeys.get(key);
    if (known !== undefined) return known;
    const cells: KeyCells = {
      accepted: accepted(key),
      duplicates: duplicates(key),
      erased: erased(key),
      overAllowance: overAllowance(key),
      views: { full: views("full", key), aggregate: views("aggregate", key) },
    };
    ofKeys.set(key, cells);
    return cells;
  }

  return {
    expect({ keyNames, stepNames }): void {
      for (const key of keyNames) {
        findKey(key);
        for (const code of KEY_CODES) refused(code, key);
        for (const name of stepNames) {
          for (const kind of ["missing", "invalid"]) violations(name, kind, key);
        }
        if (stepNames.length > 0) violations("", "unknown", key);
      }
    },
    answered(status, durationMs): void {
      total += 1;
      requests(String(status)).value += 1;
      latency.observe(durationMs / 1000);
    },
    turnedAway: (code) => void (refused(code, "").value += 1),
    bodyRefused: (bound) => void (bounded(bound).value += 1),
    outcome(outcome): void {
      if (outcome.kind === "refused") return void (refused(outcome.code, outcome.keyName ?? "").value += 1);
      const cells = findKey(outcome.keyName);
      cells.accepted.value += outcome.accepted;
      cells.duplicates.value += outcome.duplicates;
      cells.erased.value += outcome.erased ?? 0;
      cells.overAllowance.value += outcome.overAllowance;
      for (const { name, kind, count } of outcome.violations ?? []) {
        violations(name, kind, outcome.keyName).value += count;
      }
    },
    events(events, key): void {
      const ofViews = findKey(key).views;
      for (const event of events) {
        ofCollections[event.collection].value += 1;
        if (isPageview(event)) ofViews[event.collection].value += 1;
      }
    },
    total: () => total,
  };
}
