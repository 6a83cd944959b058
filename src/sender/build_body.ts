import { CONTEXT, type RecordedStep } from "./recorded_step.ts";
import type { Batch } from "./step_queue.ts";

/**
 * Builds the body of a request (SPEC 2.7).
 *
 * @param deriveId Makes the ID of an event of what the application knows it by.
 */
export async function buildBody(
  { id, sessionId, steps }: Batch<RecordedStep>,
  deriveId: (id: string) => Promise<string>,
): Promise<string> {
  const events = await Promise.all(steps.map(async ({ dedupeId, randomId, fields }) => {
    return `{"id":"${dedupeId === undefined ? randomId : await deriveId(dedupeId)}",${fields}}`;
  }));
  const [first] = steps;
  const context = JSON.stringify(CONTEXT);
  return `{"type":"event","batchId":"${id}","sessionId":"${sessionId}","sentAt":"${new Date().toISOString()}",` +
    `"identity":${first?.identity},"context":${context},"events":[${events}]}`;
}
