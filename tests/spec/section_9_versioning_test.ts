import { assert, assertEquals, assertMatch } from "@std/assert";
import { resolveConfig } from "../../src/config.ts";
import { SDK_NAME, SDK_VERSION } from "../../src/version.ts";
import deno from "../../deno.json" with { type: "json" };
import { fullBody, only, startVisit } from "../support/visit.ts";

Deno.test("SPEC 9 rule 1: the default ingest path carries a version segment /v1/", () => {
  assert(new URL(resolveConfig({ apiKey: "pk" }).endpoint).pathname.startsWith("/v1/"));
});

Deno.test("SPEC 9 rule 2: every request carries the SDK version in X-Vendor-SDK-Version", async () => {
  const { client, page } = startVisit({ maxBatchSize: 1, trackPageviews: "auto", consent: "pending" });
  page.hide();
  client.setConsent("granted");
  client.step("a");
  page.close();

  const versions = page.requests.map(({ headers }) => headers["X-Vendor-SDK-Version"]);
  await Promise.resolve();
  assertEquals([versions.length > 1, new Set(versions)], [true, new Set([SDK_VERSION])]);
});

Deno.test("SPEC 9 rule 2: the same value is sdkVersion in the EventContext", async () => {
  const { client, page, accepted } = startVisit();

  client.step("a");
  await accepted();

  const { headers } = only(page.requests);
  const { context, events } = fullBody(only(page.requests));
  assertEquals(context.sdkVersion, headers["X-Vendor-SDK-Version"]);
  assertEquals(only(events).context?.sdkVersion, headers["X-Vendor-SDK-Version"]);
});

Deno.test("SPEC 9 rule 2: the SDK version is the package's", () => {
  assertMatch(SDK_VERSION, /^\d+\.\d+\.\d+/);
  assertEquals(SDK_VERSION, deno.version);
});

Deno.test("SPEC 9 rule 3: sdkName is the literal @vendor/sdk, the package's name", async () => {
  const { client, page, accepted } = startVisit();

  client.step("a");
  await accepted();

  assertEquals(fullBody(only(page.requests)).context.sdkName, "@vendor/sdk");
  assertEquals([SDK_NAME, deno.name], ["@vendor/sdk", "@vendor/sdk"]);
});
