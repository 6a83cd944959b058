/**
 * The loader between a NATS JetStream and the store behind it. An entry point of its own, since it takes the packages
 * `@nats-io/transport-node` and `@nats-io/jetstream`, which no bundler of the ingest is to look for.
 *
 * @example
 * ```ts
 * import { createClickHouseTarget } from "@vendor/ingest/clickhouse";
 * import { createLoader, type Loader } from "@vendor/ingest/load";
 *
 * export async function startLoader(): Promise<Loader> {
 *   const target = await createClickHouseTarget({ url: "http://localhost:8123" });
 *   return await createLoader({ servers: ["nats-1:4222", "nats-2:4222"], target });
 * }
 * ```
 *
 * @module
 */
export type { Erasure } from "../events/erasures.ts";
export type { LoadTarget } from "../ports/load_target.ts";
export { createLoader } from "./loader.ts";
export type { Loader, LoaderCounts, LoaderOptions } from "./loading.ts";
export { copyFiles, type CopyFilesOptions, type CopyResult } from "./copy_files.ts";
