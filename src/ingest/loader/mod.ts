/**
 * The loader between a NATS JetStream and the store behind it. An entry point of its own, since it takes the packages
 * `@nats-io/transport-node` and `@nats-io/jetstream`, which no bundler of the ingest is to look for.
 *
 * @example
 * ```ts
 * import { createClickHouseTarget } from "@vendor/sdk/ingest/clickhouse";
 * import { createLoader, type Loader } from "@vendor/sdk/ingest/load";
 *
 * export async function startLoader(): Promise<Loader> {
 *   const target = await createClickHouseTarget({ url: "http://localhost:8123" });
 *   return await createLoader({ servers: ["nats-1:4222", "nats-2:4222"], target });
 * }
 * ```
 *
 * @module
 */
export type { EventContext, Identity } from "../../client/base/types.ts";
export type { ViolationKind } from "../../plan/plan_check.ts";
export type { LinkOptions } from "../stores/jetstream/link_options.ts";
export type { Erasure, OwnerKind } from "../events/erasures.ts";
export type { BlockResult, KeyedEvent, LoadTarget, UnfitEvent } from "../ports/load_target.ts";
export type { StoredEvent } from "../events/stored_event.ts";
export { createLoader, type LoaderOptions } from "./loader.ts";
export type { Loader, LoaderCounts, LoadingOptions } from "./loading.ts";
export type { ClickHouseTarget } from "../stores/clickhouse/clickhouse_target.ts";
export { type CopyOptions, type CopyResult, copySqlite } from "./copy_sqlite.ts";
