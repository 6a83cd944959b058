import { assertEquals, assertMatch } from "@std/assert";
import { SDK_NAME, SDK_VERSION } from "../../src/client/base/version.ts";
import deno from "../../deno.json" with { type: "json" };
import { fullBody, only, startVisit } from "../support/visit.ts";

Deno.test("SPEC 2.5 and 9 rule 2: the same value is sdkVersion in the EventContext", async () => {
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

Deno.test("SPEC 2.5 and 9 rule 3: sdkName is the literal @vendor/sdk, the package's name", async () => {
  const { client, page, accepted } = startVisit();

  client.step("a");
  await accepted();

  assertEquals(fullBody(only(page.requests)).context.sdkName, "@vendor/sdk");
  assertEquals([SDK_NAME, deno.name], ["@vendor/sdk", "@vendor/sdk"]);
});
