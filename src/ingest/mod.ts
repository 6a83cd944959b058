/**
 * The receiving side: a Web-standard handler that checks requests of the SDK against the specification and
 * stores their events, once each, in a sink.
 *
 * @example
 * ```ts
 * import { createIngest, createMemorySink } from "@vendor/ingest";
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
export { createFileData } from "./stores/file/file_data.ts";
export type { IngestOptions, IngestOutcome, RefusedOutcome } from "./options.ts";
export type { ReportKey } from "./reports/access/authenticator.ts";
export type { ReportReader } from "./ports/reader.ts";
export type {
  AcceptanceCounts,
  EventTotals,
  Listed,
  PageCounts,
  SourceCounts,
  StepCounts,
  StepValues,
  ValueCounts,
  ViewCounts,
  VisitCounts,
} from "./ports/report_counts.ts";
export type {
  Funnel,
  FunnelEvent,
  ListChoice,
  ReportFilter,
  ReportQuery,
  SourceGrouping,
} from "./ports/report_query.ts";
export type { Goal, Goals } from "./reports/query/goals.ts";
export type { Note } from "./reports/query/notes.ts";
export type { PathRules } from "./events/path_rules.ts";
export type { BesideGoal } from "./reports/view/conversion.ts";
export type { Beside } from "./reports/view/list_beside.ts";
export type { ViewObject } from "./reports/view/view.ts";
export type { ViewScope } from "./reports/view/scope.ts";
export type { ConsentShare, PartCounts, SpanCounts } from "./reports/view/spans.ts";
export type { PageRow, SourceRow } from "./reports/view/rows.ts";
export type { AudienceView } from "./reports/views/audience/audience.ts";
export type { ConsentView } from "./reports/views/consent/consent.ts";
export type { FunnelOptions, FunnelView } from "./reports/views/funnel/funnel.ts";
export type { GoalsView } from "./reports/views/goals/goals.ts";
export type { LiveView } from "./reports/views/live/live.ts";
export type { OverviewView } from "./reports/views/overview/overview.ts";
export type { PagesView } from "./reports/views/pages/pages.ts";
export type { PersonView } from "./reports/views/person/person.ts";
export type { RetentionOptions, RetentionView } from "./reports/views/retention/retention.ts";
export type { SitesView } from "./reports/views/sites/sites.ts";
export type { SourcesView } from "./reports/views/sources/sources.ts";
export type { StepsView } from "./reports/views/steps/steps.ts";
export type { ReportAsker, ReportListOptions, ReportViewOptions } from "./reports/view/options.ts";
export type { Reports } from "./reports/views/registry.ts";
export { createReports, type ReportsOptions } from "./reports/reports.ts";
export { createFileReader } from "./stores/file/file_reader.ts";
export type { Refusal } from "./contract/refusal.ts";
export { createMemorySink, type MemorySink } from "./stores/memory/memory_sink.ts";
export type { ReceivedBatch, StoreResult } from "./events/received_batch.ts";
export type { EventFlag, StoredEvent } from "./events/stored_event.ts";
export type { EventSink, SinkRefusal } from "./ports/sink.ts";
export { createFileSink, type FileSink, type FileSinkOptions } from "./stores/file/file_sink.ts";
