import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { createIngest, createMemorySink } from "../../../src/ingest/mod.ts";
import { KEY, ORIGIN } from "../fixtures.ts";
import { createFileSink, withDirectory } from "../stores/file/in_thread.ts";
import { body, headers, method, target } from "./request_arbitrary.ts";

const KEYS = [{ apiKey: KEY, origins: [ORIGIN] }];

/** Statuses of the ingest that a sink which works can lead to. */
const STATUSES = [202, 204, 400, 401, 403, 404, 405, 413, 415];

Deno.test("createIngest() gives only answers of the contract, whatever is sent", () =>
  withDirectory(async (directory) => {
    const errors: unknown[] = [];
    const memory = createMemorySink();
    const folder = await createFileSink({ path: `${directory}/events` });
    const onError = (error: unknown) => errors.push(error);
    // Of today: what arrived on an earlier day is sealed, and written in another way.
    const nowMs = Date.now();
    const now = () => nowMs;
    const ingests = [memory, folder].map((sink) => createIngest({ keys: KEYS, sink, now, onError }));
    const seen = new Set<number>();

    await fc.assert(
      fc.asyncProperty(body, headers, target, method, async (body, headers, target, method) => {
        const answers = await Promise.all(
          ingests.map((ingest) => ingest(new Request(target, { method, headers, body }))),
        );
        const [first, second] = await Promise.all(answers.map((answer) => answer.text()));
        const status = answers[0]?.status ?? 0;

        seen.add(status);
        assert(STATUSES.includes(status), `status ${status}`);
        const allowed = new Headers(headers).get("Origin") || "*";
        assertEquals(answers.map(({ headers }) => headers.get("Access-Control-Allow-Origin")), [allowed, allowed]);
        assertEquals(answers[1]?.status, status);
        assertEquals(second, first);
        assertEquals(Object.keys(status === 204 ? {} : JSON.parse(String(first))), shapeOf(status));
      }),
      { numRuns: 1500 },
    );
    const stored = await memory.events();
    const reread = await folder.events();
    await folder.close();

    assertEquals(errors, []);
    assertEquals(JSON.stringify(reread), JSON.stringify(stored));
    // A property that never got past the first check would show nothing.
    for (const status of [202, 204, 400, 401, 403, 404, 405, 415]) assert(seen.has(status), `never saw ${status}`);
  }));

function shapeOf(status: number): readonly string[] {
  if (status === 202) return ["accepted", "duplicates"];
  return status === 204 ? [] : ["error"];
}
