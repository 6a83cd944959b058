/**
 * ClickHouse behind the ingest: where a loader stores events, where reports come from, and where people's data is found
 * and erased. An entry point of its own, since it takes the package `@clickhouse/client`, which no bundler of the ingest is to look for.
 *
 * @example
 * ```ts
 * import { createReports } from "@vendor/sdk/ingest";
 * import { createClickHouseReader } from "@vendor/sdk/ingest/clickhouse";
 *
 * export async function openReports(): Promise<ReturnType<typeof createReports>> {
 *   const reader = await createClickHouseReader({ url: "http://localhost:8123" });
 *   const key = { apiKey: "pk_live_1", secretKey: "sk_live_0123456789", origins: ["https://shop.example"] };
 *   return createReports({ keys: [key], reader });
 * }
 * ```
 *
 * @module
 */
export type { EventContext, Identity } from "../../../client/base/types.ts";
export type { ViolationKind } from "../../../plan/plan_check.ts";
export { createClickHouseData } from "./clickhouse_data.ts";
export type {
  DataStore,
  DataSubject,
  DeleteOptions,
  ErasedData,
  EventRange,
  FoundData,
  PrunedData,
  PruneOptions,
  Remains,
  UserSubject,
  VisitorSubject,
} from "../../ports/data_store.ts";
export { type ClickHouseReader, createClickHouseReader } from "./clickhouse_reader.ts";
export type {
  CohortCounts,
  FilterName,
  Funnel,
  FunnelEvent,
  FunnelOrder,
  FunnelStage,
  Listed,
  NumberCounts,
  OverviewCounts,
  PageCounts,
  ReportFilter,
  ReportQuery,
  ReportReader,
  SourceCounts,
  SourceDimension,
  StepCounts,
  StepValues,
  ValueCounts,
  ViewCounts,
  ViolationRow,
  VisitCounts,
} from "../../ports/reader.ts";
export type { PathRules } from "../../events/path_rules.ts";
export type { ClickHouseOptions } from "./clickhouse_port.ts";
export type { SchemaOptions } from "./clickhouse_schema.ts";
export {
  type ClickHouseTarget,
  type ClickHouseTargetOptions,
  createClickHouseTarget,
  type WatchOptions,
} from "./clickhouse_target.ts";
export type { Erasure, OwnerKind } from "../../events/erasures.ts";
export type { BlockResult, KeyedEvent, LoadTarget, UnfitEvent } from "../../ports/load_target.ts";
export type { StoredEvent } from "../../events/stored_event.ts";
