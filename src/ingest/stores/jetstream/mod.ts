/**
 * The sink for a NATS JetStream: for who outgrows one machine. An entry point of its own, since it takes the packages
 * `@nats-io/transport-node` and `@nats-io/jetstream`, which no bundler of the ingest is to look for.
 *
 * @example
 * ```ts
 * import { createIngest, type Ingest } from "@vendor/ingest";
 * import { createJetStreamSink } from "@vendor/ingest/jetstream";
 *
 * export async function openIngest(): Promise<Ingest> {
 *   const sink = await createJetStreamSink({ servers: ["nats-1:4222", "nats-2:4222"] });
 *   return createIngest({ keys: [{ apiKey: "pk_live_1", origins: ["https://shop.example"] }], sink });
 * }
 * ```
 *
 * @module
 */
export type { JetStreamSinkOptions } from "./jetstream_options.ts";
export { createJetStreamSink } from "./jetstream_sink.ts";
