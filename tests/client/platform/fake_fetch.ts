import type { TransportAnswer, TransportRequest } from "../../../src/client/platform/environment.ts";
import { createBrowserEnvironment } from "../../../src/client/platform/browser.ts";
import { override, withWindow } from "./window_scope.ts";

/** A request like those of the SDK. */
export const REQUEST: TransportRequest = {
  url: "https://ingest.example/v1/events",
  headers: { "Content-Type": "application/json", "X-API-Key": "pk_test" },
  body: '{"type":"event"}',
  keepalive: true,
  priority: "low",
};

/** A request under way. */
export interface Sending {
  /** Answers so far. */
  readonly answers: readonly TransportAnswer[];
  /** Aborts it. */
  readonly abort: () => void;
}

/** What a test does: it sends, and lets promises settle. */
export type UseFetch = (send: (request?: TransportRequest) => Sending, settle: () => Promise<void>) => Promise<void>;

/** Runs a test with a page whose `fetch` is the given one, and maybe other globals. */
export function withFetch(
  fetch: unknown,
  use: UseFetch,
  globals: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  return withWindow("https://shop.example/teas", async (scope) => {
    override(scope, { fetch, Request, ...globals });
    const environment = createBrowserEnvironment(scope);
    const send = (request = REQUEST): Sending => {
      const answers: TransportAnswer[] = [];
      return { answers, abort: environment.send(request, (answer) => answers.push(answer)) };
    };
    await use(send, () => new Promise((resolve) => setTimeout(resolve)));
  });
}
