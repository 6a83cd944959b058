import { assertEquals } from "@std/assert";
import { createIngest, createMemorySink } from "../../../src/ingest/mod.ts";
import { MALFORMED, TAKEN } from "./corpus.ts";
import { KEY, ORIGIN, post } from "../fixtures.ts";

for (const [index, [message, body]] of MALFORMED.entries()) {
  Deno.test(`createIngest() answers 400 to malformed body ${index}: ${message}`, async () => {
    const sink = createMemorySink();
    const ingest = createIngest({ keys: [{ apiKey: KEY, origins: [ORIGIN] }], sink });

    const answer = await ingest(post(body));

    assertEquals(await answer.json(), { error: { code: "malformed", message } });
    assertEquals(answer.status, 400);
    assertEquals(await sink.events(), []);
  });
}

for (const [description, body] of TAKEN) {
  Deno.test(`createIngest() takes ${description}`, async () => {
    const sink = createMemorySink();
    const ingest = createIngest({ keys: [{ apiKey: KEY, origins: [ORIGIN] }], sink });

    const answer = await ingest(post(body));

    assertEquals(answer.status, 202);
    assertEquals((await sink.events()).at(-1)?.batchId, "collection" in Object(body) ? undefined : "b-1");
  });
}
