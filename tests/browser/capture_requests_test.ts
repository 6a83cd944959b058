import { assertEquals, assertRejects } from "@std/assert";
import type { Page } from "playwright-core";
import { captureRequests } from "../../src/testing/mod.ts";
import type { InitConfig } from "../../src/client/base/types.ts";
import { createBrowserTest, quiet, type Stage } from "./harness.ts";
import { script } from "./html.ts";
import { NO_ANSWER } from "../../src/client/mod.ts";

const browserTest = createBrowserTest(["Chromium", "Firefox"]);

interface Steps {
  readonly signup: { readonly plan: "free" | "pro" };
  readonly logout: undefined;
}

const CONFIG: InitConfig = { apiKey: "pk_test_123", flushInterval: 20 };

/** Serves a page that starts the SDK, and opens it. */
async function visit({ site }: Stage, page: Page, config: Partial<InitConfig> = {}): Promise<void> {
  const after = script((config) => Vendor.init(config), { ...CONFIG, ...config });
  site.serve("/page", { title: "Page", after });
  await page.goto(`${site.origin}/page`);
}

browserTest("captureRequests() answers the default endpoint, and has the events with their types", async (stage) => {
  const page = await stage.context.newPage();
  const requests = await captureRequests<Steps>(page);
  await visit(stage, page, { trackPageviews: true });

  const signedUp = requests.waitForStep("signup");
  await page.evaluate(async () => {
    Vendor.identify("user-42");
    Vendor.step("signup", { plan: "pro" });
    await Vendor.flush();
  });

  const { properties, identity } = await signedUp;
  assertEquals([properties.plan, identity?.userId], ["pro", "user-42"]);
  assertEquals((await requests.waitForPageviews(1)).map(({ context }) => context?.pageTitle), ["Page"]);
  assertEquals(requests.steps("logout"), []);
  const [{ url, headers, status } = {}] = requests.requests;
  assertEquals([url, headers?.["x-api-key"], status], ["https://ingest.vendor.example/v1/events", "pk_test_123", 202]);
  assertEquals(stage.messages, []);
});

browserTest("captureRequests() takes the SDK's requests alone, whatever the endpoint is", async (stage) => {
  const { site, context } = stage;
  const endpoint = `${site.origin}/collect`;
  site.handle("/collect", async (request) => new Response(`${request.method} ${await request.text()}`));
  const page = await context.newPage();
  const requests = await captureRequests(page);
  await visit(stage, page, { endpoint });

  const own = await page.evaluate(async (url) => {
    Vendor.step("signup");
    await Vendor.flush();
    const read = async (...args: Parameters<typeof fetch>) => (await fetch(...args)).text();
    const headers = { "Content-Type": "text/plain" };
    return [await read(url), await read(new Request(url)), await read(url, { method: "POST", body: "x", headers })];
  }, endpoint);

  assertEquals(requests.requests.map(({ url }) => url), [endpoint]);
  assertEquals(requests.steps().map(({ name }) => name), ["signup"]);
  assertEquals(own, ["GET ", "GET ", "POST x"]);
  assertEquals(site.visits.filter((path) => path === "/collect").length, 3);
});

browserTest("captureRequests() takes requests that a tool of the page makes anew", async (stage) => {
  const { site, context, ingest } = stage;
  const { endpoint } = ingest;
  const page = await context.newPage();
  const requests = await captureRequests(page);
  const before = script(() => {
    const { fetch: next } = globalThis;
    const forms: ((input: RequestInfo | URL, init?: RequestInit) => Promise<Response>)[] = [
      (input, init) => next(input, { ...init, headers: new Headers(init?.headers) }),
      (input, init) => next(input, { ...init, headers: [...new Headers(init?.headers)] }),
      (input, init) => next(new Request(input, init)),
    ];
    globalThis.fetch = (input, init) => (forms.shift() ?? next)(input, init);
  });
  site.serve("/page", { before, after: script((config) => Vendor.init(config), { ...CONFIG, endpoint }) });
  await page.goto(`${site.origin}/page`);

  const names = ["headers", "pairs", "request"];
  for (const name of names) {
    await page.evaluate(async (name) => {
      Vendor.step(name);
      await Vendor.flush();
    }, name);
  }

  assertEquals(requests.steps().map(({ name }) => name), names);
  assertEquals([ingest.requests, ingest.preflights], [[], []]);
});

browserTest("captureRequests() answers as it's told, and has an event once it was taken", async (stage) => {
  const requests = await captureRequests(stage.context); // all pages of the visitor
  const page = await stage.context.newPage();
  await visit(stage, page, { endpoint: stage.ingest.endpoint });
  const send = (name: string) =>
    page.evaluate(async (name) => {
      Vendor.step(name);
      await Vendor.flush();
    }, name);

  requests.respond({ status: 503, retryAfterMs: 1000 });
  await send("a");
  assertEquals([requests.requests.map(({ status }) => status), requests.events], [[503], []]);
  requests.respond({ status: 202 });
  await requests.waitForStep("a");
  const [first, second] = requests.requests;
  assertEquals(second?.body.batchId, first?.body.batchId);

  requests.clear();
  requests.respond({ status: NO_ANSWER });
  await send("b");
  assertEquals([requests.requests.map(({ status }) => status), requests.events], [[NO_ANSWER], []]);
  assertEquals(stage.ingest.requests, []);
});

browserTest(
  "captureRequests() lets nothing leave with a page, and has it from the next one at the latest",
  async (stage) => {
    const { context, site, ingest } = stage;
    const { endpoint } = ingest;
    const requests = await captureRequests(context);
    const page = await context.newPage();
    await visit(stage, page, { flushInterval: 60_000, endpoint });
    site.serve("/next", { after: script((config) => Vendor.init(config), { ...CONFIG, endpoint }) });

    await page.evaluate(() => Vendor.step("left"));
    await page.goto(`${site.origin}/next`);
    assertEquals((await requests.waitForStep("left")).context?.pageUrl, `${site.origin}/page`);
    await page.evaluate(() => Vendor.step("closed"));
    await page.close({ runBeforeUnload: true });
    await quiet();

    assertEquals([ingest.requests, ingest.preflights], [[], []]);
  },
);

browserTest(
  "captureRequests() has nothing of a visitor who declined, and says what came where a step doesn't",
  async (stage) => {
    const page = await stage.context.newPage();
    const requests = await captureRequests<Steps>(page);
    await visit(stage, page);
    await page.evaluate(async () => {
      Vendor.step("seen");
      await Vendor.flush();
      Vendor.setConsent("denied");
      Vendor.step("signup");
      await Vendor.flush();
    });

    await assertRejects(
      () => requests.waitForStep("signup", { timeoutMs: 200 }),
      Error,
      'no step "signup" within 200 ms; what came: seen',
    );
    await assertRejects(() => requests.waitForPageviews(1, { timeoutMs: 1 }), Error, "no 1 pageviews");
  },
);
