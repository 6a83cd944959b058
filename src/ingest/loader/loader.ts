import { DEFAULT_STREAM, DEFAULT_SUBJECT_PREFIX } from "../stores/jetstream/jetstream_stream.ts";
import type { Loader, LoaderOptions } from "./loading.ts";
import { startLoader } from "./run_loader.ts";
import { openStreamSource } from "../stores/jetstream/stream_source.ts";

const DEFAULT_CONSUMER = "vendor_loader";
const DEFAULT_DEAD_LETTER_SUBJECT = "vendor.dead_letters";

/**
 * Connects to a NATS cluster and loads the events of a stream into a store, in blocks. A message is acknowledged once its
 * block is in: a loader, a server or a store that is killed at any moment loses nothing. What is stored twice by that is
 * one event to the store. Several loaders share the work.
 *
 * A message that is no event, or that the store never takes, goes to the dead letters. Messages that every consumer has
 * acknowledged are removed from the stream after an hour.
 *
 * @example
 * ```ts
 * import { createClickHouseTarget } from "@vendor/ingest/clickhouse";
 * import { createLoader, type Loader } from "@vendor/ingest/load";
 *
 * export async function startLoader(): Promise<Loader> {
 *   const target = await createClickHouseTarget({ url: "http://localhost:8123" });
 *   return await createLoader({ servers: ["nats-1:4222", "nats-2:4222"], target, onError: console.error });
 * }
 * ```
 *
 * @throws {Error} Where the official client isn't installed, and for a cluster that can't be reached.
 */
export async function createLoader(options: LoaderOptions): Promise<Loader> {
  const { subjectPrefix = DEFAULT_SUBJECT_PREFIX } = options;
  const source = await openStreamSource({
    ...options,
    stream: options.stream ?? DEFAULT_STREAM,
    subject: `${subjectPrefix}.*`,
    consumer: options.consumer ?? DEFAULT_CONSUMER,
    deadLetterSubject: options.deadLetterSubject ?? DEFAULT_DEAD_LETTER_SUBJECT,
  });
  return startLoader(source, options);
}
