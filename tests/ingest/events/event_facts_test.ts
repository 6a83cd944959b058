import { assertEquals } from "@std/assert";
import { readFacts } from "../../../src/ingest/events/event_facts.ts";
import { buildEvent, buildPageview } from "../reports/fixtures.ts";

Deno.test("readFacts() counts a full pageview by day, site, path and foreign referrer", () => {
  const event = buildPageview({
    timestamp: "2026-03-01T23:59:59.999Z",
    pageUrl: "https://shop.example/teas?sort=price#top",
    referrer: "https://search.example/?q=tea",
    sessionId: "s-1",
    anonymousId: "v-1",
    userId: "u-1",
  });

  assertEquals(readFacts(event), {
    site: "https://shop.example",
    day: "2026-03-01",
    labels: {
      names: "$pageview",
      paths: "/teas",
      referrers: "https://search.example",
      sessions: "s-1",
      visitors: "v-1",
      users: "u-1",
      violations: undefined,
    },
  });
});

Deno.test("readFacts() counts no path and no referrer of another event", () => {
  const event = buildEvent({
    name: "tea_chosen",
    pageUrl: "https://shop.example/teas",
    referrer: "https://search.example/",
  });

  assertEquals(readFacts(event), {
    site: "https://shop.example",
    day: "2026-03-01",
    labels: {
      names: "tea_chosen",
      paths: undefined,
      referrers: undefined,
      sessions: undefined,
      visitors: undefined,
      users: undefined,
      violations: undefined,
    },
  });
});

Deno.test("readFacts() tells a missing referrer from one within the site", () => {
  const pageUrl = "https://shop.example/teas";
  const referrers = [undefined, "not a URL", "https://shop.example/", "https://shop.example:8443/"].map((referrer) =>
    readFacts(buildPageview({ pageUrl, ...(referrer && { referrer }) })).labels.referrers
  );

  assertEquals(referrers, ["", "", undefined, "https://shop.example:8443"]);
});

Deno.test("readFacts() keeps the session of an aggregate out, should there be one", () => {
  const event = buildPageview({ collection: "aggregate", sessionId: "s-1" });

  assertEquals(readFacts(event).labels.sessions, undefined);
});

Deno.test("readFacts() has no site for an event without a page", () => {
  const { site, labels: { paths, referrers } } = readFacts(buildPageview({}));

  assertEquals({ site, paths, referrers }, { site: "", paths: "", referrers: "" });
});

Deno.test("readFacts() makes names safe to store", () => {
  assertEquals(readFacts(buildEvent({ name: "a\0b\nc\ud800" })).labels.names, "a\ufffdb\ufffdc\ufffd");
});

Deno.test("readFacts() reads origin and path of a URL", () => {
  const places = [
    "https://Shop.example:443/a/../b%20c?d#e",
    "https://shop.example",
    "android-app://com.example.mail/",
    "about:srcdoc",
    "javascript:alert(1)",
    "",
    "//shop.example",
  ].map((pageUrl) => readFacts(buildPageview({ pageUrl }))).map(({ site, labels }) => [site, labels.paths]);

  assertEquals(places, [
    ["https://shop.example", "/b%20c"],
    ["https://shop.example", "/"],
    ["android-app://com.example.mail", "/"],
    ["null", "srcdoc"],
    ["null", "alert(1)"],
    ["", ""],
    ["", ""],
  ]);
});

Deno.test("readFacts() counts a page under one path, however it is percent-encoded", () => {
  const paths = ["/café", "/caf%C3%A9", "/caf%c3%a9", "/c%61f%C3%a9", "/%7euser%2D1%5f", "/a%2fb%3f", "/100%", "/%%341"]
    .map(
      (path) => readFacts(buildPageview({ pageUrl: `https://shop.example${path}` })).labels.paths,
    );

  assertEquals(paths, [...Array(4).fill("/caf%C3%A9"), "/~user-1_", "/a%2Fb%3F", "/100%", "/%41"]);
});

Deno.test("readFacts() cuts a path that is out of all proportion", () => {
  const { labels } = readFacts(buildPageview({ pageUrl: `https://shop.example/${"a".repeat(100_000)}` }));

  assertEquals(labels.paths?.length, 1024);
});

Deno.test("readFacts() parses no more of a URL than it counts: a megabyte of dot segments takes long", () => {
  const { site, labels } = readFacts(
    buildPageview({ pageUrl: `https://shop.example/teas?${"a/../".repeat(200_000)}` }),
  );
  const { labels: { paths: dots } } = readFacts(
    buildPageview({ pageUrl: `https://shop.example/${"a/../".repeat(9)}b` }),
  );
  const host = readFacts(buildPageview({ pageUrl: `https://${"ü.".repeat(200_000)}example/` })).site;

  assertEquals([site, labels.paths, dots], ["https://shop.example", "/teas", "/b"]);
  assertEquals(host.length <= 1024, true);
});
