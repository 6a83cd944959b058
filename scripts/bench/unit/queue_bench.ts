import { createBrowserEnvironment } from "../../../src/environment/browser.ts";
import { createOutbox } from "../../../src/outbox.ts";
import { createQueue, type Queue } from "../../../src/queue.ts";
import { createReport } from "../../../src/report.ts";
import { createBareWindow } from "./bare_window.ts";
import { EVENT, TARGET } from "./sample_event.ts";

const KIND = { target: TARGET, isAggregate: false, timeMs: 0 };

const environment = createBrowserEnvironment(createBareWindow().scope);
const report = createReport({ ...environment, log: () => {} });

// A queue whose cost grows with what it holds shows in the time of an event.
for (const amount of [100, 1_000, 10_000]) {
  Deno.bench(`append() of ${amount} events`, { group: "append" }, () => {
    fill(createEmptyQueue(), amount);
  });
}

const full = createEmptyQueue();
fill(full, 10_000);

Deno.bench("append() to a full queue, which drops the oldest event", { group: "full" }, () => {
  full.append(EVENT, KIND);
});

Deno.bench("append() of 50 events and remove() of their batch", { group: "full" }, () => {
  const queue = createEmptyQueue();
  fill(queue, 50);
  for (const batch of [...queue.batches]) queue.remove(batch);
});

function createEmptyQueue(): Queue {
  return createQueue({ report, outbox: createOutbox(environment, report) });
}

function fill(queue: Queue, amount: number): void {
  for (let i = 0; i < amount; i++) queue.append(EVENT, KIND);
}
