import { assertEquals } from "@std/assert";
import { MAX_PROPERTIES_BYTES } from "../../../src/client/base/limits.ts";
import { arrivalOf } from "../../support/hostile.ts";
import { namesOf, only, startVisit, warningsOf } from "../../support/visit.ts";

const ROOM = MAX_PROPERTIES_BYTES - '{"text":""}'.length;

const LONG = "x".repeat(1_000_000);

for (
  const [text, isThere] of [
    ["a".repeat(ROOM), true],
    ["a".repeat(ROOM + 1), false],
    ["茶".repeat(ROOM / 3), true], // three bytes each in UTF-8
    ["茶".repeat(ROOM / 3) + "a", false],
    ["\u0001".repeat(ROOM / 6), true], // six as they are escaped
    ["\u0001".repeat(ROOM / 6 + 1), false],
  ] as const
) {
  const name = `${JSON.stringify(text.slice(-1))}, ${text.length} times in all`;
  Deno.test(`step() ${isThere ? "takes" : "drops, with a warning,"} properties with ${name}`, async () => {
    assertEquals(await arrivalOf({ text }), {
      isThere,
      properties: isThere ? { text } : undefined,
      warnings: isThere ? 0 : 1,
    });
  });
}

Deno.test("step() counts the events that are too large, with one warning for all, beside that of a 413", async () => {
  const { browser, client, page, accepted } = startVisit();

  client.step("large", { text: "x".repeat(1_000_000) });
  client.step("larger", { text: "x".repeat(2_000_000) });
  client.step("next");
  const names = namesOf(await accepted());
  browser.respond({ status: 413 });
  client.step("refused");
  await accepted();

  assertEquals([names, client.drops()], [["next"], { too_large: 3 }]);
  assertEquals(warningsOf(page), ["[Vendor] step() ignored: properties over 32 KiB", "[Vendor] dropped: too_large"]);
});

for (
  const [what, url, kept] of [
    ["query", `https://shop.example/callback?q=${LONG}`, "https://shop.example/callback"],
    ["fragment", `https://shop.example/callback#q=${LONG}`, "https://shop.example/callback"],
    ["path", `https://shop.example/${LONG}`, undefined],
  ] as const
) {
  Deno.test(`no context field costs an event: a huge ${what} goes, and so does a huge title`, async () => {
    const { page, client, accepted } = startVisit({ trackPageviews: true }, {
      url,
      referrer: url,
      title: `Teas? ${LONG}`,
    });
    client.step("a");
    page.pushState("/next");

    const events = await accepted();
    assertEquals(namesOf(events), ["$pageview", "a", "$pageview"]);
    assertEquals(events.map(({ context }) => [context?.pageUrl, context?.referrer, context?.pageTitle]), [
      [kept, kept, undefined],
      [kept, kept, undefined],
      ["https://shop.example/next", kept, undefined],
    ]);
  });
}

for (
  const [traits, isKept] of [
    [{ note: "é".repeat((8192 - '{"note":""}'.length - 1) / 2) + "a" }, true],
    [{ note: "é".repeat((8192 - '{"note":""}'.length - 1) / 2) + "aa" }, false],
    [{ note: "\u0001".repeat(8000) }, false],
    ["pro", false],
  ] as const
) {
  const length = new TextEncoder().encode(JSON.stringify(traits)).length;
  Deno.test(`identify() ${isKept ? "takes" : "leaves out"} traits of ${length} bytes of JSON, userId stays`, async () => {
    const { page, client, accepted } = startVisit();

    client.identify("user-1", traits as object);
    client.step("a");

    const { identity } = only(await accepted());
    assertEquals<unknown>([identity?.userId, identity?.traits], ["user-1", isKept ? traits : undefined]);
    assertEquals(warningsOf(page).length, isKept ? 0 : 1);
  });
}
