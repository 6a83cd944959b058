import type { TransportAnswer } from "../client/platform/environment.ts";
import type { StepEvent } from "../client/base/types.ts";
import type { Clock } from "./clock.ts";
import type { TestRequest } from "./test_request.ts";

/**
 * Answers to requests: all alike, each as a function says, or none until the test answers (`"hang"`). A status of 0 is
 * a network error.
 *
 * @example
 * ```ts
 * import { createTestBrowser, type TestResponse } from "@vendor/sdk/testing";
 *
 * const refuseLarge: TestResponse = ({ text }) => ({ status: text.length > 10_000 ? 413 : 202 });
 * createTestBrowser().respond(refuseLarge);
 * ```
 */
export type TestResponse =
  | TransportAnswer
  | "hang"
  | ((request: TestRequest) => TransportAnswer | "hang" | Promise<TransportAnswer | "hang">);

/** The network of a device, with whatever answers at its other end. */
export interface Network {
  /** Every request of the device, oldest first. */
  readonly requests: readonly TestRequest[];
  /** Notes a request. */
  record(request: TestRequest): void;
  /** Sees to the answer of a request, in a later microtask. */
  deliver(request: TestRequest): void;
  /** Sets how requests are answered from now on. */
  respond(response: TestResponse): void;
  /** Whether the device is offline. */
  isOffline(): boolean;
  /** Takes the device off the network, where what is under way fails, or puts it back. */
  setOffline(isOffline: boolean): void;
}

/** Creates a network that accepts every request. */
export function createNetwork(clock: Clock): Network {
  const requests: TestRequest[] = [];
  let response: TestResponse = { status: 202 };
  let isOffline = false;

  const answer = async (request: TestRequest): Promise<void> => {
    await Promise.resolve();
    if (isOffline) return request.fail();
    if (request.state !== "pending") return;
    const answer = typeof response === "function" ? await response(request) : response;
    if (answer !== "hang") request.answer(answer);
  };
  return {
    requests,
    record: (request) => void requests.push(request),
    deliver: (request) => clock.wait(answer(request)),
    respond(next) {
      response = next;
    },
    isOffline: () => isOffline,
    setOffline(next) {
      isOffline = next;
      if (isOffline) { for (const request of requests) request.fail(); }
    },
  };
}

/** Returns the events of the requests that were answered with a 2xx status, oldest first. */
export function acceptedEvents(requests: readonly TestRequest[]): readonly StepEvent[] {
  return requests.flatMap(({ status = 0, body }): readonly StepEvent[] =>
    status >= 200 && status < 300 ? body.events : []
  );
}
