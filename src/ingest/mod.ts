/**
 * The receiving side: a Web-standard handler that checks requests of the SDK against the specification and
 * stores their events, once each, in a sink.
 *
 * @example
 * ```ts
 * import { createIngest, createMemorySink } from "@vendor/sdk/ingest";
 *
 * const keys = [{ apiKey: "pk_live_123", origins: ["https://shop.example"] }];
 * const ingest = createIngest({ keys, sink: createMemorySink() });
 * const answer = await ingest(new Request("https://ingest.example/v1/events", { method: "GET" }));
 *
 * if (answer.status !== 405) throw new Error("only POST is taken");
 * ```
 *
 * @module
 */
export { createIngest, type Ingest } from "./handler.ts";
export type { IngestKey } from "./keys/ingest_key.ts";
export type { OwnVisits } from "./keys/own_visits.ts";
export { shareAllowance } from "./stores/share_allowance.ts";
export type { RateLimit } from "./keys/token_bucket.ts";
export type {
  DataStore,
  DataSubject,
  DeleteOptions,
  ErasedData,
  FoundData,
  PrunedData,
  PruneOptions,
} from "./ports/data_store.ts";
export type { KeyedEvent } from "./ports/load_target.ts";
export { writeEventsCsv } from "./reports/event_csv.ts";
export { createSqliteData } from "./stores/sqlite/sqlite_data.ts";
export type { IngestOptions, IngestOutcome, RefusedOutcome } from "./options.ts";
export type { ReportKey } from "./reports/access/authenticator.ts";
export type {
  AcceptanceCounts,
  EventTotals,
  FilterName,
  Funnel,
  FunnelEvent,
  Listed,
  PageCounts,
  ReportFilter,
  ReportQuery,
  ReportReader,
  SourceCounts,
  SourceDimension,
  SourceGrouping,
  StepCounts,
  StepValues,
  Traffic,
  ValueCounts,
  ViewCounts,
  ViolationRow,
  VisitCounts,
} from "./ports/reader.ts";
export type { Goal, Goals } from "./reports/query/goals.ts";
export type { Note } from "./reports/query/notes.ts";
export type { PathRules } from "./events/path_rules.ts";
export type {
  ConsentShare,
  ConsentView,
  FunnelView,
  GoalsView,
  LiveView,
  OverviewView,
  PagesView,
  PersonView,
  RetentionView,
  SiteCounts,
  SitesView,
  SourcesView,
  SpanCounts,
  StepsView,
  ViewScope,
} from "./reports/views/views.ts";
export {
  createReports,
  type FunnelOptions,
  type ReportAsker,
  type Reports,
  type ReportsOptions,
  type ReportViewOptions,
  type RetentionOptions,
} from "./reports/reports.ts";
export { createSqliteReader } from "./stores/sqlite/sqlite_reader.ts";
export type { Refusal } from "./contract/refusal.ts";
export { createMemorySink, type MemorySink } from "./stores/memory/memory_sink.ts";
export type { ReceivedBatch, StoreResult } from "./events/received_batch.ts";
export type { EventFlag, StoredEvent } from "./events/stored_event.ts";
export type { EventSink, SinkRefusal } from "./ports/sink.ts";
export { createSqliteSink, type SqliteSink, type SqliteSinkOptions } from "./stores/sqlite/sqlite_sink.ts";
