import { assertEquals } from "@std/assert";
import { parsePlace, readFacts } from "../../../src/ingest/reports/event_facts.ts";
import { buildEvent, buildPageview } from "./fixtures.ts";

Deno.test("readFacts() counts a full pageview by day, site, path and foreign referrer", () => {
  const event = buildPageview({
    timestamp: "2026-03-01T23:59:59.999Z",
    pageUrl: "https://shop.example/teas?sort=price#top",
    referrer: "https://search.example/?q=tea",
    sessionId: "s-1",
  });

  assertEquals(readFacts(event), {
    day: "2026-03-01",
    name: "$pageview",
    collection: "full",
    sessionId: "s-1",
    site: "https://shop.example",
    path: "/teas",
    referrer: "https://search.example",
  });
});

Deno.test("readFacts() counts no path and no referrer of another event", () => {
  const event = buildEvent({
    name: "tea_chosen",
    pageUrl: "https://shop.example/teas",
    referrer: "https://search.example/",
  });

  const { name, site, path, referrer } = readFacts(event);

  assertEquals({ name, site, path, referrer }, {
    name: "tea_chosen",
    site: "https://shop.example",
    path: undefined,
    referrer: undefined,
  });
});

Deno.test("readFacts() tells a missing referrer from one within the site", () => {
  const pageUrl = "https://shop.example/teas";

  assertEquals(readFacts(buildPageview({ pageUrl })).referrer, "");
  assertEquals(readFacts(buildPageview({ pageUrl, referrer: "not a URL" })).referrer, "");
  assertEquals(readFacts(buildPageview({ pageUrl, referrer: "https://shop.example/" })).referrer, undefined);
  assertEquals(
    readFacts(buildPageview({ pageUrl, referrer: "https://shop.example:8443/" })).referrer,
    "https://shop.example:8443",
  );
});

Deno.test("readFacts() keeps the session of an aggregate out, should there be one", () => {
  const event = buildPageview({ collection: "aggregate", sessionId: "s-1" });

  assertEquals(readFacts(event).sessionId, undefined);
});

Deno.test("readFacts() has no site for an event without a page", () => {
  const { site, path, referrer } = readFacts(buildPageview({}));

  assertEquals({ site, path, referrer }, { site: "", path: "", referrer: "" });
});

Deno.test("readFacts() makes names safe to store", () => {
  assertEquals(readFacts(buildEvent({ name: "a\0b\nc\ud800" })).name, "a\ufffdb\ufffdc\ufffd");
});

Deno.test("parsePlace() reads origin and path", () => {
  assertEquals(parsePlace("https://Shop.example:443/a/../b%20c?d#e"), {
    origin: "https://shop.example",
    path: "/b%20c",
  });
  assertEquals(parsePlace("https://shop.example"), { origin: "https://shop.example", path: "/" });
  assertEquals(parsePlace("android-app://com.example.mail/"), { origin: "android-app://com.example.mail", path: "/" });
  assertEquals(parsePlace("about:srcdoc"), { origin: "null", path: "srcdoc" });
  assertEquals(parsePlace("javascript:alert(1)"), { origin: "null", path: "alert(1)" });
  assertEquals(parsePlace(""), { origin: "", path: "" });
  assertEquals(parsePlace("//shop.example"), { origin: "", path: "" });
});

Deno.test("parsePlace() cuts a path that is out of all proportion", () => {
  const { path } = parsePlace(`https://shop.example/${"a".repeat(100_000)}`);

  assertEquals(path.length, 1024);
});
