/**
 * What is counted, as docs/reports.md names it: a sentence and a line of SQL each. No other place says what a visit, a bounce or
 * a source is.
 *
 * @module
 */
import { ENGAGED_MS } from "../../events/visit_facts.ts";

/** A definition. */
export interface Definition {
  /** What it is, in a sentence. */
  readonly sentence: string;
  /** What it is, in SQL: of an event, or of a session. */
  readonly sql: string;
}

/** What is defined. */
export type DefinitionName =
  | "moment"
  | "session"
  | "visitor"
  | "step"
  | "landing"
  | "bounce"
  | "instant"
  | "source"
  | "owner"
  | "visit";

/**
 * What a moment is made of, in one number: engines compare tuples ten times slower. The last 64 bits are the hash of the ID, 7
 * the place in the batch, 54 the time.
 */
const [PLACE_UNIT, TIME_UNIT, RANK_UNIT] = [64n, 71n, 125n].map((bits) => `toInt128('${2n ** bits}')`);

/** Each {@linkcode Definition}. */
export const DEFINITIONS: Readonly<Record<DefinitionName, Definition>> = {
  moment: {
    sentence:
      "Events are in the order of their time, then of their places in their batches, then of a hash of their IDs.",
    sql: `toInt128(time) * ${TIME_UNIT} + toInt128(place) * ${PLACE_UNIT} + id_order`,
  },
  session: {
    sentence: "A session is the full events of one sessionId on a site, and belongs to the day on which it begins.",
    sql: "is_full AND session_hash <> 0",
  },
  visitor: {
    sentence: "A visitor is an anonymousId with an event of a page, which has a session.",
    sql: "visitor_hash <> 0 AND session_hash <> 0",
  },
  step: {
    sentence: "A step is an event that is no pageview and whose name doesn't begin with $.",
    sql: "NOT is_view AND NOT startsWith(name, '$')",
  },
  landing: {
    sentence: "A landing is a session whose first event is a pageview that comes from elsewhere.",
    sql: "argMin(is_arrival, moment)",
  },
  bounce: {
    sentence: "A bounce is a landing with one pageview, no step, and less than 10 s of engagement.",
    sql: `is_landing AND views = 1 AND steps = 0 AND engaged < ${ENGAGED_MS}`,
  },
  instant: {
    sentence: "An instant session has nothing but pageviews of one moment.",
    sql: "start = finish AND views = events",
  },
  owner: {
    sentence:
      "A backend's step that names a user and no visitor is of the visitor of that user's first event that has one.",
    sql: "argMin(visitor_hash, moment)",
  },
  visit: {
    sentence: "A backend's step belongs to the session in which its visitor came last before it.",
    sql: "argMax(session_hash, first_moment)",
  },
  source: {
    sentence:
      "A session's source is that of its first event with a tag, else of its first arrival, else of its first referrer from elsewhere.",
    sql: `toInt128(source_rank) * ${RANK_UNIT} + moment`,
  },
};

/** Whether a link was tagged. */
const IS_TAGGED = ["source", "medium", "campaign", "term", "content"].map((tag) => `utm_${tag} <> ''`).join(" OR ");

/**
 * What of an event says where its session came from: 0 a tag, 1 an arrival or a referrer, 2 nothing. An arrival without a
 * referrer counts, so that a bank's page midway isn't the source of who came by themselves.
 */
export const SOURCE_RANK: string = `if(${IS_TAGGED}, 0, if(is_arrival OR source_referrer <> '', 1, 2))`;

/** Whether an event says where its session came from: few do. */
export const HAS_SOURCE = "source_rank < 2";

/** What a source is told by. */
export type SourceColumn =
  | "source_referrer"
  | `utm_${"source" | "medium" | "campaign" | "term" | "content"}`
  | "channel"
  | "tagged_channel";

/** Each {@linkcode SourceColumn}. */
export const SOURCE_COLUMNS: readonly SourceColumn[] = [
  "source_referrer",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_term",
  "utm_content",
  "channel",
  "tagged_channel",
];
