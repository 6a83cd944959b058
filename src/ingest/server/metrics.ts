import type { IngestOutcome } from "../options.ts";
import type { StoredEvent } from "../sinks/sink.ts";
import type { ArrivalBound } from "./arrivals.ts";
import { createCounter, createGauge, createHistogram, type Metric } from "./prometheus.ts";

/** Counts what the ingest does. No metric holds a key or anything of an event but its collection. */
export interface IngestMetrics {
  /** Counts an answered request by status and by the time it took in milliseconds. */
  answered(status: number, durationMs: number): void;
  /** Counts a request that was turned away before the ingest saw it, or while it was at work. */
  turnedAway(code: string): void;
  /** Counts a body whose arrival a bound ended. */
  bodyRefused(bound: ArrivalBound): void;
  /** Counts what became of a request. */
  outcome(outcome: IngestOutcome): void;
  /** Counts stored events. */
  events(events: readonly StoredEvent[]): void;
  /** Returns how many requests were answered. */
  total(): number;
  /** Returns everything as text for Prometheus. */
  render(): string;
}

/** What is read when the metrics are asked for. */
export interface IngestGauges {
  /** Returns how many requests are at work. */
  readonly pending: () => number;
  /** Returns how many bodies are on their way. */
  readonly bodies: () => number;
  /** Returns how many bytes of them are here. */
  readonly bodyBytes: () => number;
}

/** Upper bounds of the latency histogram in seconds. */
const LATENCY_BOUNDS_S: readonly number[] = [
  0.001,
  0.0025,
  0.005,
  0.01,
  0.025,
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
  10,
  30,
];

const PREFIX = "vendor_ingest_";

/** Creates the metrics of a server. */
export function createIngestMetrics({ pending, bodies, bodyBytes }: IngestGauges): IngestMetrics {
  const counter = (name: string, help: string): ReturnType<typeof createCounter> =>
    createCounter({ name: PREFIX + name, help, isLabelled: true });

  const requests = counter("requests_total", "Requests answered, by status.");
  const accepted = counter("events_accepted_total", "Events stored for the first time, by key.");
  const duplicates = counter("events_duplicate_total", "Events that were stored before, by key.");
  const collections = counter("events_collected_total", "Events stored for the first time, by collection.");
  const refused = counter("refused_total", "Requests refused, by code and key.");
  const bounded = counter("bodies_refused_total", "Bodies refused while they arrived, by the bound.");
  const overAllowance = counter("pageviews_over_allowance_total", "Pageviews stored past the allowance, by key.");
  const latency = createHistogram({
    name: `${PREFIX}request_duration_seconds`,
    help: "Time from a request's headers to its answer.",
    bounds: LATENCY_BOUNDS_S,
  });
  const gauge = (name: string, help: string, read: () => number): Metric =>
    createGauge({ name: PREFIX + name, help, read });
  const all: readonly Metric[] = [
    requests,
    accepted,
    duplicates,
    collections,
    refused,
    overAllowance,
    latency,
    bounded,
    gauge("requests_pending", "Requests at work.", pending),
    gauge("bodies_waiting", "Bodies that are on their way.", bodies),
    gauge("bodies_waiting_bytes", "Bytes that wait for the rest of their bodies.", bodyBytes),
  ];

  let total = 0;

  return {
    answered(status, durationMs): void {
      total += 1;
      requests.add(1, { status: String(status) });
      latency.observe(durationMs / 1000);
    },
    turnedAway: (code) => refused.add(1, { code, key: "" }),
    bodyRefused: (bound) => bounded.add(1, { bound }),
    outcome(outcome): void {
      if (outcome.kind === "refused") return refused.add(1, { code: outcome.code, key: outcome.keyName ?? "" });
      accepted.add(outcome.accepted, { key: outcome.keyName });
      duplicates.add(outcome.duplicates, { key: outcome.keyName });
      overAllowance.add(outcome.overAllowance, { key: outcome.keyName });
    },
    events(events): void {
      for (const { collection } of events) collections.add(1, { collection });
    },
    total: () => total,
    render: () => all.map((metric) => metric.render()).join(""),
  };
}
