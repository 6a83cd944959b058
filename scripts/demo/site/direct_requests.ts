/**
 * Hand-made requests past the SDK, to show how the ingest treats repeats and what it refuses.
 *
 * @module
 */
import { DEMO_KEY } from "../demo_key.ts";
import { ENDPOINT } from "./analytics.ts";

/** Sends a batch, then the same batch again. */
export async function sendTwice(): Promise<void> {
  const body = buildBody();
  await post(body, DEMO_KEY);
  await post(body, DEMO_KEY);
}

/** Sends a batch with a key that the ingest doesn't know. */
export function sendWrongKey(): Promise<void> {
  return post(buildBody(), "pk_wrong");
}

/** Sends an aggregate that says who it is about. */
export function sendLeaky(): Promise<void> {
  return post({ ...buildBody(), collection: "aggregate" }, DEMO_KEY);
}

async function post(body: object, key: string): Promise<void> {
  const response = await fetch(ENDPOINT, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-API-Key": key, "X-Vendor-SDK-Version": "0.0.0" },
    body: JSON.stringify(body),
  });
  await response.text();
}

function buildBody(): object {
  const now = new Date().toISOString();
  const id = crypto.randomUUID();
  const who = { sessionId: id, identity: { userId: null, anonymousId: id } };
  const context = { sdkName: "@vendor/sdk", sdkVersion: "0.0.0", pageUrl: `${location.origin}/by-hand` };
  const event = { id, name: "sent_by_hand", timestamp: now, ...who, context };
  return { type: "event", batchId: crypto.randomUUID(), sentAt: now, ...who, events: [event], context };
}
