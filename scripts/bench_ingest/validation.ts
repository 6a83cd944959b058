import { parseBody } from "../../src/ingest/request/parse.ts";
import { validateBody } from "../../src/ingest/contract/validate.ts";
import { createRequestMaker } from "./body.ts";

/** What a body costs, in microseconds per event. */
export interface ValidationCost {
  /** `JSON.parse` alone. */
  readonly parseUs: number;
  /** Parsing as the ingest does: UTF-8, depth, `__proto__`. */
  readonly safeParseUs: number;
  /** Checking against the schema, which also leaves unknown fields out. */
  readonly validateUs: number;
}

const EVENTS = 50;

const TURNS = 21;

const BODIES_PER_TURN = 100;

/** Measures the parts of reading a body of 50 events, by turns; medians. */
export function measureValidation(): ValidationCost {
  const request = new TextDecoder().decode(createRequestMaker(EVENTS).next());
  const text = request.slice(request.indexOf("\r\n\r\n") + 4);
  const bytes = new TextEncoder().encode(text);
  const body: unknown = JSON.parse(text);
  const parts = [() => JSON.parse(text), () => parseBody(bytes), () => validateBody(body)];
  const times = parts.map((): number[] => []);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [index, run] of parts.entries()) {
      const startMs = performance.now();
      for (let count = 0; count < BODIES_PER_TURN; count++) run();
      times[index]?.push(((performance.now() - startMs) * 1000) / BODIES_PER_TURN / EVENTS);
    }
  }
  const [parseUs = NaN, safeParseUs = NaN, validateUs = NaN] = times.map((list) =>
    list.sort((one, other) => one - other)[Math.floor(TURNS / 2)]
  );
  return { parseUs, safeParseUs, validateUs };
}
