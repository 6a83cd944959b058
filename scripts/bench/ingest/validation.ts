import { checkBody } from "../../../src/ingest/http/read_batch.ts";
import { createRequestMaker } from "./body.ts";

/** Cost of a body in microseconds per event. */
export interface ValidationCost {
  /** `JSON.parse` alone. */
  readonly parseUs: number;
  /** All that the ingest does with it: UTF-8, JSON, depth, `__proto__`, the schema. */
  readonly checkUs: number;
}

const EVENTS = 50;

const TURNS = 21;

const BODIES_PER_TURN = 100;

/** Measures the parts of reading a body of 50 events, by turns; medians. */
export function measureValidation(): ValidationCost {
  const request = new TextDecoder().decode(createRequestMaker(EVENTS).next());
  const text = request.slice(request.indexOf("\r\n\r\n") + 4);
  const bytes = new TextEncoder().encode(text);
  const parts = [() => JSON.parse(text), () => checkBody(bytes)];
  const times = parts.map((): number[] => []);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [index, run] of parts.entries()) {
      const startMs = performance.now();
      for (let count = 0; count < BODIES_PER_TURN; count++) run();
      times[index]?.push(((performance.now() - startMs) * 1000) / BODIES_PER_TURN / EVENTS);
    }
  }
  const [parseUs = NaN, checkUs = NaN] = times.map((list) =>
    list.sort((one, other) => one - other)[Math.floor(TURNS / 2)]
  );
  return { parseUs, checkUs };
}
