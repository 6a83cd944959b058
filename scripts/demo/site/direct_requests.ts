/**
 * Hand-made requests past the SDK, to show how the ingest treats repeats and what it refuses.
 *
 * @module
 */
import { DEMO_KEY } from "../demo_key.ts";
import { ENDPOINT } from "./analytics.ts";
import { byId } from "./dom.ts";

/** Wires the buttons; `onSent` is told in words what has been sent. */
export function setUpDirectRequests(onSent: (what: string) => void): void {
  byId("send-twice", HTMLElement).addEventListener("click", async () => {
    onSent("POST a batch, then the same batch again");
    const body = fullBody();
    await post(body, DEMO_KEY);
    await post(body, DEMO_KEY);
  });
  byId("send-wrong-key", HTMLElement).addEventListener("click", async () => {
    onSent("POST with the key pk_wrong");
    await post(fullBody(), "pk_wrong");
  });
  byId("send-leaky", HTMLElement).addEventListener("click", async () => {
    onSent("POST an aggregate with a userId");
    await post(leakyBody(), DEMO_KEY);
  });
}

async function post(body: string, key: string): Promise<void> {
  try {
    const response = await fetch(ENDPOINT, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-API-Key": key, "X-Vendor-SDK-Version": "0.0.0" },
      body,
    });
    await response.text();
  } catch {
    // Every browser rejects when the ingest is gone; the feed's state says so already.
  }
}

function fullBody(): string {
  const sessionId = crypto.randomUUID();
  const identity = { userId: null, anonymousId: crypto.randomUUID() };
  const context = { sdkName: "@vendor/sdk", sdkVersion: "0.0.0", pageUrl: `${location.origin}/by-hand` };
  const event = { ...anEvent("sent_twice"), sessionId, identity, context };
  return JSON.stringify({ ...envelope(), sessionId, identity, events: [event], context });
}

function leakyBody(): string {
  const context = { sdkName: "@vendor/sdk", sdkVersion: "0.0.0", pageUrl: `${location.origin}/by-hand` };
  return JSON.stringify({
    ...envelope(),
    collection: "aggregate",
    events: [{ ...anEvent("$pageview"), context, userId: "ada" }],
  });
}

function envelope(): Record<string, unknown> {
  return { type: "event", batchId: crypto.randomUUID(), sentAt: new Date().toISOString() };
}

function anEvent(name: string): Record<string, unknown> {
  return { id: crypto.randomUUID(), name, timestamp: new Date().toISOString() };
}
