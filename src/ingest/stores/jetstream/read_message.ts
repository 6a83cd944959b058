import * as v from "valibot";
import { CONTEXT, IDENTITY, MAX_EVENTS, MAX_NAME_CHARACTERS } from "../../contract/full_body.ts";
import { characters, fields, IDENTIFIER, oneOf, RECORD, UTC_TIME } from "../../contract/values.ts";
import { describeError } from "../../platform/describe_error.ts";
import type { KeyedEvent } from "../../ports/load_target.ts";

/** A time in the one form in which an ingest stores it. */
const STORED_TIME = v.custom<string>(
  (time) => typeof time === "string" && time.endsWith("Z") && v.is(UTC_TIME, time),
  "must be an ISO 8601 UTC time with Z",
);

/** A message of the JetStream sink. Others may publish on its subjects, too. */
const STORED_EVENT = fields({
  id: IDENTIFIER,
  name: characters(MAX_NAME_CHARACTERS),
  collection: oneOf("full", "aggregate"),
  timestamp: STORED_TIME,
  receivedAt: STORED_TIME,
  properties: v.exactOptional(RECORD),
  sessionId: v.exactOptional(IDENTIFIER),
  identity: v.exactOptional(IDENTITY),
  context: v.exactOptional(CONTEXT),
  site: v.exactOptional(v.string("must be a text")),
  batchId: v.exactOptional(IDENTIFIER),
  place: v.exactOptional(v.picklist([...Array(MAX_EVENTS).keys()], `must be a number from 0 to ${MAX_EVENTS - 1}`)),
  clockOffsetMs: v.exactOptional(v.pipe(v.number("must be a number"), v.safeInteger("must be whole"))),
  violation: v.exactOptional(oneOf("unknown", "missing", "invalid")),
  flag: v.exactOptional(oneOf("bot", "own")),
  dimensions: v.exactOptional(v.record(v.string(), v.string(), "must be texts by their names")),
});

const KEY_HASH = /^[0-9a-f]{32}$/;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Reads a message of the JetStream sink, or says in a line why it can't be one. */
export function readMessage(subject: string, payload: Uint8Array): KeyedEvent | { readonly reason: string } {
  const keyHash = subject.slice(subject.lastIndexOf(".") + 1);
  if (!KEY_HASH.test(keyHash)) return { reason: "the subject doesn't end with the hash of a key" };
  try {
    const event = JSON.parse(decoder.decode(payload));
    const result = v.safeParse(STORED_EVENT, event);
    // As it is, and not as far as this version knows it: an ingest may be newer than the loader.
    if (result.success) return { keyHash, event };
    const [issue] = result.issues;
    return { reason: `it's no event: ${v.getDotPath(issue) ?? "it"} ${issue.message}` };
  } catch (error) {
    return { reason: `it isn't JSON: ${describeError(error)}` };
  }
}
