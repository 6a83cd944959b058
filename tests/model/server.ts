import type { TransportAnswer } from "../../src/client/mod.ts";
import type { TestBrowser, TestRequest } from "../../src/testing/mod.ts";
import type { Statistics } from "./statistics.ts";
import { type Treatment, type TreatmentName, TREATMENTS } from "./treatments.ts";
import { refuse } from "../support/refuse.ts";

/** A modelled ingest: it keeps an event once per id, and treats requests as planned. */
export interface Server {
  /** Ids of the events it has. */
  readonly stored: ReadonlySet<string>;
  /** Plans the next requests one by one, and all that follow. */
  plan(next: readonly TreatmentName[], then: TreatmentName): void;
  /** Fails from now on at whatever holds the first event of the next request, or at nothing any more. */
  poison(isOn: boolean): void;
  /** Answers one of the requests that hang, if there are any. */
  answerHanging(index: number, name: TreatmentName): void;
}

/** Creates the ingest of a browser. It accepts everything until something else is planned. */
export function createServer(browser: TestBrowser, statistics: Statistics): Server {
  const stored = new Set<string>();
  let planned: TreatmentName[] = [];
  let standing: TreatmentName = "202";
  let isPoisoned = false;
  let poison: string | undefined;

  const treat = ({ body }: TestRequest, name: TreatmentName): TransportAnswer | "hang" => {
    const treatment: Treatment = TREATMENTS[name];
    statistics.count(`answer: ${name}`);
    const isAccepted = body.events.length <= (treatment.acceptsUpTo ?? 0);
    if (treatment.isStored || isAccepted) {
      for (const { id } of body.events) {
        if (stored.has(id)) statistics.count("seen: an event that the ingest has already");
        stored.add(id);
      }
    }
    const { status, retryAfterMs } = treatment;
    if (isAccepted) return { status: 202 };
    if (status === 401) return refuse();
    return status === undefined ? "hang" : { status, retryAfterMs };
  };
  browser.respond((request) => {
    const { events } = request.body;
    if (isPoisoned) poison ??= events[0]?.id;
    return treat(request, events.some(({ id }) => id === poison) ? "500" : planned.shift() ?? standing);
  });
  return {
    stored,
    plan(next, then) {
      planned = [...next];
      standing = then;
    },
    poison(isOn) {
      isPoisoned = isOn;
      poison = undefined;
    },
    answerHanging(index, name) {
      const hanging = browser.requests.filter(({ state }) => state === "pending");
      const request = hanging[index % hanging.length];
      if (!request) return;
      const answer = treat(request, name);
      statistics.count("seen: a late answer");
      if (answer !== "hang") request.answer(answer);
    },
  };
}
