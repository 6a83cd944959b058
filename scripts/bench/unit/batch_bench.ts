import { buildBody, createBatch } from "../../../src/batch.ts";
import { EVENT, TARGET } from "./sample_event.ts";

const SENT_AT = "2026-01-01T00:00:00.000Z";

const ONE = createSampleBatch(1);
const FIFTY = createSampleBatch(50);
const HUNDRED = createSampleBatch(100);

Deno.bench("buildBody() of 1 event", { group: "body", baseline: true }, () => {
  buildBody(ONE, SENT_AT);
});

Deno.bench("buildBody() of 50 events", { group: "body" }, () => {
  buildBody(FIFTY, SENT_AT);
});

Deno.bench("buildBody() of 100 events", { group: "body" }, () => {
  buildBody(HUNDRED, SENT_AT);
});

Deno.bench("createBatch() with its first event", { group: "batch" }, () => {
  createSampleBatch(1);
});

function createSampleBatch(amount: number): ReturnType<typeof createBatch> {
  return createBatch({
    target: TARGET,
    isAggregate: false,
    isAdopted: false,
    timeMs: 0,
    version: "1.0.0",
    errors: 0,
    id: "00000000-0000-4000-8000-000000000004",
    events: Array.from({ length: amount }, (_, i) => i ? EVENT.text : `${EVENT.text}\t${EVENT.tail}`),
  });
}
