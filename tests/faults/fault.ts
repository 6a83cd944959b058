/** What the injector does to a request in place of passing it on at once. */
export type Fault =
  /** Answers in the ingest's place; nothing is stored. */
  | { readonly kind: "answer"; readonly status: number; readonly retryAfter?: string }
  /** Passes the request on late, unless its sender has broken it off by then. */
  | { readonly kind: "delay"; readonly ms: number }
  /** Breaks the connection before the body was read. */
  | { readonly kind: "drop_unread" }
  /** Breaks the connection after the body was read; nothing is stored. */
  | { readonly kind: "drop_read" }
  /** Passes the request on, and breaks the connection in place of the answer. */
  | { readonly kind: "lose_answer" }
  /** Reads the body, and neither passes it on nor answers, ever. */
  | { readonly kind: "hang" };

/** What a planner knows of a request: its headers have come, its body hasn't. */
export interface Arrival {
  /** `POST`, or `OPTIONS` of a preflight. */
  readonly method: string;
  /** How many of that method came before. */
  readonly index: number;
}

/** Chooses the fault of a request; undefined passes it on. */
export type Planner = (arrival: Arrival) => Fault | undefined;

/** Does one thing to every POST. */
export function always(fault: Fault): Planner {
  return ({ method }) => method === "POST" ? fault : undefined;
}

/** Does these things to the next POSTs, one each, and nothing to later ones. */
export function inTurn(...faults: readonly Fault[]): Planner {
  const left = [...faults];
  return ({ method }) => method === "POST" ? left.shift() : undefined;
}

/** Keeps the answer to every preflight back. */
export function slowPreflight(ms: number): Planner {
  return ({ method }) => method === "OPTIONS" ? { kind: "delay", ms } : undefined;
}
