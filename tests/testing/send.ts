import type { TestPage } from "../../src/testing/mod.ts";
import type { TransportAnswer, TransportRequest } from "../../src/client/mod.ts";

/** Where test requests go. */
export const ENDPOINT = "https://ingest.example/v1/events";

/** Sends a request of a page, and returns the statuses it's answered with. */
export function send({ environment }: TestPage, changes: Partial<TransportRequest> = {}): readonly number[] {
  const statuses: number[] = [];
  environment.send(
    { url: ENDPOINT, headers: {}, body: '{"events":[]}', keepalive: true, priority: "low", ...changes },
    ({ status }: TransportAnswer) => statuses.push(status),
  );
  return statuses;
}
