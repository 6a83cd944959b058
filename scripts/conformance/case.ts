import type { Target } from "./target.ts";

/** One thing that an ingest has to do. */
export interface Case {
  /** Its behaviour, to be read after "the ingest". */
  readonly name: string;
  /** Whether it takes a key that is bound to a site. */
  readonly needsOrigin?: boolean;
  /** Tries it; throws where the ingest does something else. */
  readonly run: (target: Target) => Promise<void>;
}
