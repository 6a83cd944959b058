/**
 * Clients beside the singleton: several on one page, and environments of one's own.
 *
 * @example
 * ```ts
 * import { createClient } from "@vendor/sdk/client";
 *
 * const client = createClient({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events" });
 * client.step("signup", { tier: "pro" });
 * ```
 *
 * @module
 */
export { type Client, createClient } from "./client.ts";
export type { DropCounts } from "./drop_counts.ts";
export type { DropReason } from "./hooks.ts";
export type {
  Cancel,
  Environment,
  EnvironmentListeners,
  HeadlessEnvironment,
  KeyValueStorage,
  LogLevel,
  NavigationKind,
  PageEnvironment,
  StorageChange,
  TransportAnswer,
  TransportRequest,
} from "./platform/environment.ts";
export { NO_ANSWER, UNSENDABLE } from "./platform/environment.ts";
export { detectEnvironment } from "./platform/detect.ts";
export type { Operations } from "./operations.ts";
