/**
 * Sizes, compression and every rule of a body (SPEC 2.4 to 2.8).
 *
 * @module
 */
import { MALFORMED, TAKEN } from "../../tests/ingest/contract/corpus.ts";
import { EVENT } from "../../tests/ingest/fixtures.ts";
import { Deviation, expectStatus, expectStored } from "./answer.ts";
import { fullOf, gzip, newAggregate, newEvents, newFull, paddedTo } from "./bodies.ts";
import type { Case } from "./case.ts";
import type { Target } from "./target.ts";

const MIB = 1_048_576;

const GZIP = { "Content-Encoding": "gzip" };

/** A case that sends a body and looks at the status. */
function answers(status: number, what: string, toBody: (target: Target) => unknown): Case {
  return {
    name: `answers ${status} to ${what}`,
    run: async (target) => expectStatus(await target.post(toBody(target)), status),
  };
}

function gzipped(status: number, what: string, toBody: (target: Target) => Promise<Uint8Array>): Case {
  return {
    name: `answers ${status} to ${what}`,
    run: async (target) => expectStatus(await target.post(await toBody(target), GZIP), status),
  };
}

function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream {
  return new Blob([bytes]).stream();
}

const MALFORMED_CASES: readonly Case[] = MALFORMED.map(([message, body], index) =>
  answers(400, `malformed body ${index + 1}: ${message}`, () => body)
);

const TAKEN_CASES: readonly Case[] = TAKEN.map(([description, body]) => answers(202, description, () => body));

/** A batch is refused as a whole: what was fine in it is unknown afterwards. */
async function checkNothingKept(target: Target): Promise<void> {
  const [fine] = newEvents(target, 1);
  expectStatus(await target.post(fullOf(target, [fine ?? {}, { ...EVENT, name: "" }])), 400);
  expectStored(await target.post(fullOf(target, [fine ?? {}])), { accepted: 1, duplicates: 0 });
}

/** The one rule about words: a message repeats nothing of what was sent. */
async function checkDiscretion(target: Target): Promise<void> {
  const secret = "do-not-repeat-me";
  const bodies = [{ ...newFull(target), type: secret }, { ...newAggregate(target), [secret]: { userId: secret } }];
  for (const body of bodies) {
    const answer = await target.post(body);
    expectStatus(answer, 400);
    if (answer.text.includes(secret)) throw new Deviation("a refusal repeats what was sent");
  }
}

/** The cases. */
export const BODY_CASES: readonly Case[] = [
  answers(202, "100 events", (target) => newFull(target, 100)),
  answers(413, "101 events", (target) => newFull(target, 101)),
  answers(202, "100 aggregate pageviews", (target) => newAggregate(target, 100)),
  answers(413, "101 aggregate pageviews", (target) => newAggregate(target, 101)),
  answers(202, "an empty batch", (target) => newFull(target, 0)),
  answers(202, "an empty aggregate batch", (target) => newAggregate(target, 0)),
  answers(202, 'type "identity"', (target) => ({ ...newFull(target), type: "identity" })),
  answers(202, "fields that nobody knows", (target) => ({ ...newFull(target), future: { deep: [1] } })),
  answers(202, "1 MiB", (target) => paddedTo(newFull(target), MIB)),
  answers(413, "1 MiB and a byte", (target) => paddedTo(newFull(target), MIB + 1)),
  answers(413, "1 MiB and a byte of unknown length", (target) => streamOf(paddedTo(newFull(target), MIB + 1))),
  answers(202, "a body of unknown length", (target) => streamOf(paddedTo(newFull(target), 5000))),
  gzipped(202, "a gzipped body", (target) => gzip(paddedTo(newFull(target), 5000))),
  gzipped(202, "1 MiB after decompression", (target) => gzip(paddedTo(newFull(target), MIB))),
  gzipped(413, "1 MiB and a byte after decompression", (target) => gzip(paddedTo(newFull(target), MIB + 1))),
  gzipped(413, "a bomb", (target) => gzip(paddedTo(newFull(target), 64 * MIB))),
  gzipped(400, "what says it is gzip and isn't", (target) => Promise.resolve(paddedTo(newFull(target), 5000))),
  gzipped(400, "gzip that is cut off", async (target) => (await gzip(paddedTo(newFull(target), 5000))).slice(0, -9)),
  answers(400, "a POST without body", () => ""),
  answers(400, "an aggregate with a session in a field __proto__", (target) => {
    return JSON.stringify({ ...newAggregate(target), hidden: { sessionId: "s-1" } }).replace('"hidden"', '"__proto__"');
  }),
  { name: "keeps nothing of a batch that it refuses", run: checkNothingKept },
  { name: "repeats nothing of what it refuses", run: checkDiscretion },
  ...TAKEN_CASES,
  ...MALFORMED_CASES,
];
