import type { TransportRequest } from "../../../../src/client/platform/environment.ts";

/** Where the requests of the contract go. */
export const ENDPOINT = "https://ingest.example/v1/events";

/** A request. */
export const REQUEST: TransportRequest = {
  url: ENDPOINT,
  headers: { "Content-Type": "application/json", "X-API-Key": "pk_test" },
  body: '{"type":"event","text":"中"}',
  keepalive: true,
  priority: "low",
};
