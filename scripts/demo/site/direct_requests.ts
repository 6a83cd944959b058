import { DEMO_KEY } from "../../../src/ingest/server/demo/demo_key.ts";
import { ENDPOINT } from "./analytics.ts";
import { byId } from "./dom.ts";

/** Wires the buttons that send requests past the SDK, to show how the ingest treats a repeat and what it refuses. */
export function setUpDirectRequests(): void {
  const onClick = (id: string, send: () => Promise<void>): void =>
    // Every browser rejects when the ingest is gone; the feed's state says so already.
    byId(id, HTMLElement).addEventListener("click", () => void send().catch(() => {}));
  onClick("send-twice", async () => {
    const body = buildBody();
    await post(body, DEMO_KEY);
    await post(body, DEMO_KEY);
  });
  onClick("send-wrong-key", () => post(buildBody(), "pk_wrong"));
  // An aggregate that says who it is about.
  onClick("send-leaky", () => post({ ...buildBody(), collection: "aggregate" }, DEMO_KEY));
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
