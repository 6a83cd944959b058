import { assert } from "@std/assert";
import { readAgent } from "../../src/ingest/keys/agent_classes.ts";
import { measureBest, timeMs } from "./measure_best.ts";

/** Longest agent that is looked at, in UTF-16 units. */
const AGENT_UNITS = 1024;

for (const part of ["1", "1.", "Version/1", "Version/1."]) {
  Deno.test(`readAgent() is quick with a version of ${JSON.stringify(part)} again and again`, async () => {
    const agent = `Version/${part.repeat(AGENT_UNITS)}`.slice(0, AGENT_UNITS);

    // A pattern that tries each way to cut the digits takes much longer.
    const bestMs = await measureBest(20, () => timeMs(() => Array.from({ length: 100 }, () => readAgent(agent))));

    assert(bestMs <= 20, `${bestMs} ms`);
  });
}
