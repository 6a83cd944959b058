// Compiled against the packed npm package with every TypeScript since 5.2.
import {
  createIngest,
  createMemorySink,
  type EventSink,
  type Ingest,
  type IngestOptions,
  type ReportReader,
  type StoredEvent,
} from "@vendor/ingest";
import { createJetStreamSink, type JetStreamSinkOptions } from "@vendor/ingest/jetstream";
import { createClickHouseReader, createClickHouseTarget } from "@vendor/ingest/clickhouse";
import { copyFiles, createLoader, type Loader } from "@vendor/ingest/load";
import * as v from "valibot";

const options: IngestOptions = {
  keys: [{ apiKey: "pk_test", origins: ["https://shop.example"] }],
  sink: createMemorySink(),
  plan: { signup: v.object({ plan: v.string() }), logout: undefined },
  planMode: "refuse",
};
const ingest: Ingest = createIngest(options);

/** What a server does with a request. */
export async function receive(request: Request): Promise<number> {
  return (await ingest(request)).status;
}

/** The name under which an event is stored. */
export function nameOf({ name }: StoredEvent): string {
  return name;
}

// @ts-expect-error -- the keys are required
createIngest({});

// @ts-expect-error -- a JSON Schema is none that follows Standard Schema
export const wrong: IngestOptions = { ...options, plan: { signup: { type: "object" } } };

/** The sink of a cluster, which is an entry point of its own. */
export function openSink(options: JetStreamSinkOptions): Promise<EventSink> {
  return createJetStreamSink(options);
}

/** Copies and loads into ClickHouse. */
export async function load(): Promise<Loader> {
  const clickHouse = await createClickHouseTarget({ url: "http://localhost:8123" });
  await copyFiles({ path: "events", target: clickHouse });
  return await createLoader({ servers: ["nats-1:4222"], target: clickHouse });
}

/** Reads reports. */
export async function openReader(): Promise<ReportReader> {
  return await createClickHouseReader({ url: "http://localhost:8123" });
}
