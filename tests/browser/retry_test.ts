import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { createBrowserTest, quiet, type Stage } from "./harness.ts";
import { script } from "./html.ts";
import { buildAnswer, type Responder } from "./ingest_server.ts";

const browserTest = createBrowserTest();

/** Makes every backoff as short as it may be. */
const NO_JITTER = script(() => {
  Math.random = () => 0;
});

/** Answers the first request otherwise. */
const first = ({ ingest }: Stage, answer: () => ReturnType<Responder>): Responder => (request) =>
  ingest.requests[0] === request ? answer() : undefined;

/** Opens a page that tracks two events into one batch. */
async function openAndTrack(stage: Stage) {
  stage.site.serve("/", { before: NO_JITTER, after: stage.init() });
  const page = await stage.open("/");
  await page.evaluate(() => {
    Vendor.step("first");
    Vendor.step("second");
  });
  return page;
}

const names = ({ ingest }: Stage): string[] => ingest.stored.map(({ name }) => name);

browserTest("a batch answered 503 is sent again under its batchId, with another sentAt", async (stage) => {
  stage.ingest.respondWith(first(stage, () => buildAnswer(503)));

  await openAndTrack(stage);

  await stage.ingest.untilStored(2);
  const [once, again] = stage.ingest.requests;
  assertEquals(again?.body.batchId, once?.body.batchId);
  assertEquals(again?.body.events as unknown, once?.body.events);
  assertNotEquals(again?.body.sentAt, once?.body.sentAt);
  assertEquals(stage.ingest.requests.length, 2);
  assertEquals(names(stage), ["first", "second"]);
});

browserTest("Retry-After is read through CORS, and holds the queue", async (stage) => {
  stage.ingest.respondWith(first(stage, () => buildAnswer(429, { "Retry-After": "1" })));
  const page = await openAndTrack(stage);
  await stage.ingest.untilRequested(1);

  await page.evaluate(() => {
    Vendor.step("third");
    return Vendor.flush();
  });

  await stage.ingest.untilStored(3);
  const [once, again] = stage.ingest.requests;
  assert((again?.timeMs ?? 0) - (once?.timeMs ?? 0) >= 990);
  assertEquals(again?.body.batchId, once?.body.batchId);
  assertEquals(names(stage), ["first", "second", "third"]);
});

browserTest("a connection that breaks is retried under the same batchId", async (stage) => {
  stage.ingest.respondWith(first(stage, () => "reset"));

  await openAndTrack(stage);

  await stage.ingest.untilStored(2);
  assertEquals(new Set(stage.ingest.requests.map(({ body }) => body.batchId)).size, 1);
  assertEquals(names(stage), ["first", "second"]);
});

browserTest("an answer that is lost costs no event and counts none twice", async (stage) => {
  const { ingest } = stage;
  ingest.respondWith((request) => {
    if (ingest.requests[0] !== request) return undefined;
    const { text: body, headers } = request;
    return ingest.handle(new Request(ingest.endpoint, { method: "POST", headers, body })).then(() => buildAnswer(502));
  });

  await openAndTrack(stage);

  await ingest.untilRequested(2);
  await quiet();
  assertEquals(names(stage), ["first", "second"]);
});

browserTest("events wait while there is no network and leave when it is back", async (stage) => {
  stage.site.serve("/", { after: stage.init() });
  const page = await stage.open("/");
  await stage.context.setOffline(true);
  await page.evaluate(() => Vendor.step("offline"));
  await quiet();
  assertEquals(stage.ingest.requests.length, 0);

  await stage.context.setOffline(false);

  await stage.ingest.untilStored(1);
  assertEquals(names(stage), ["offline"]);
  assertEquals(stage.messages, []);
});

browserTest("a redirect is not followed, and the key stays with the endpoint", async (stage) => {
  const stolen: (string | null)[] = [];
  stage.otherSite.handle("/steal", ({ headers }) => {
    stolen.push(headers.get("x-api-key"));
    return new Response();
  });
  stage.ingest.respondWith(first(stage, () => buildAnswer(307, { Location: `${stage.otherSite.origin}/steal` })));

  await openAndTrack(stage);

  await stage.ingest.untilStored(2);
  assertEquals(stolen, []);
});

browserTest("a key that no header can carry gives one warning and nothing more", async (stage) => {
  stage.site.serve("/", { after: stage.init({ apiKey: "pk_\u{1F511}" }) });
  const page = await stage.open("/");

  await page.evaluate(() => {
    Vendor.step("unsendable");
    return Vendor.flush();
  });

  assertEquals(stage.ingest.requests.length + stage.ingest.preflights.length, 0);
  await quiet();
  assertEquals(stage.messages.length, 1, stage.messages.join());
});
