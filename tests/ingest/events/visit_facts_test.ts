import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { StoredEvent } from "../../../src/ingest/mod.ts";
import {
  classifyScreen,
  createVisitReader,
  isTagged,
  type VisitFacts,
} from "../../../src/ingest/events/visit_facts.ts";
import { TRAFFIC_FLAGS } from "../../../src/ingest/ports/report_query.ts";
import { SITE } from "../reports/fixtures.ts";
import { readEvent } from "../reports/reference/read_event.ts";
import { aHistory } from "../reports/visit_arbitrary.ts";
import { at } from "../reports/visit_fixtures.ts";

const NOWHERE = { referrer: "", source: "", medium: "", campaign: "", term: "", content: "" };

const read = (event: StoredEvent): VisitFacts => createVisitReader()(event);

Deno.test("createVisitReader() reads what counts of a pageview", () => {
  const event = at("10:00:00.250", {
    ...{ page: "/c%61fé?utm_source=news&utm_medium=email&utm_campaign=spring+sale&utm_term=t&utm_content=a%2Fb#top" },
    ...{ referrer: "https://Search.Example:443/?q=tea", session: "s-1", visitor: "v-1", user: "ada" },
    ...{ width: 1280, place: 7, id: "e-1" },
  });

  assertEquals(read(event), {
    site: SITE,
    time: Date.parse("2026-03-01T10:00:00.250Z"),
    kind: "pageview",
    name: "$pageview",
    path: "/caf%C3%A9",
    isArrival: true,
    from: {
      ...{ referrer: "https://search.example", source: "news", medium: "email" },
      ...{ campaign: "spring sale", term: "t", content: "a/b" },
    },
    session: "s-1",
    visitor: "v-1",
    user: "ada",
    screen: "laptop",
    engagedMs: 0,
    flag: "",
  });
});

Deno.test("createVisitReader() reads neither session nor person of an aggregate, should there be one", () => {
  const event: StoredEvent = {
    ...at("10:00", { session: "s-1", visitor: "v-1", user: "ada" }),
    collection: "aggregate",
  };

  const { kind, session, visitor, user } = read(event);

  assertEquals([kind, session, visitor, user], ["aggregate", "", "", ""]);
});

Deno.test("createVisitReader() has the network of an ad's click for a source that isn't tagged", () => {
  const readTags = (query: string): readonly string[] => {
    const { from: { source, medium, campaign } } = read(at("10:00", { page: `/${query}` }));
    return [source, medium, campaign];
  };

  assertEquals(readTags("?utm_medium=email&utm_campaign=spring"), ["", "email", "spring"]);
  assertEquals(readTags("?gclid=1"), ["google", "cpc", ""]);
  assertEquals(readTags("?a=1&msclkid=1&utm_campaign=x"), ["bing", "cpc", "x"]);
  assertEquals(readTags("?utm_source=news&utm_medium=email&gclid=1"), ["news", "email", ""]);
  assertEquals(readTags("?utm_source=google&gclid=1"), ["google", "cpc", ""]);
  // Facebook adds its ID to every link.
  assertEquals(readTags("?fbclid=1"), ["", "", ""]);
  assertEquals(readTags("?gclid=&utm_source="), ["", "", ""]);
  // A link that was escaped once too often, by a mail's or an editor's template.
  for (const ampersand of ["&amp;", "&#38;", "&#038;", "#038;"]) {
    assertEquals(readTags(`?utm_source=news${ampersand}utm_medium=email`), ["news", "email", ""], ampersand);
  }
});

Deno.test("createVisitReader() tells steps from automatic events", () => {
  assertEquals(
    ["$pageview", "signup", "$engagement", "$", "pageview"].map((name) => read(at("10:00", { name })).kind),
    [
      ...["pageview", "step", "automatic", "automatic", "step"],
    ],
  );
});

Deno.test("createVisitReader() has an arrival where the referrer isn't a page of the site", () => {
  const referrers = [
    ...[undefined, "https://search.example/", "https://blog.example/", "https://www.paypal.com/pay", "not a URL"],
    ...[`${SITE}/teas`, SITE, `${SITE}:443/`, `${SITE}:8443/`],
  ];
  const facts = referrers.map((referrer) => read(at("10:00", referrer === undefined ? {} : { referrer })));

  assertEquals(facts.map(({ isArrival, from }) => [isArrival, from.referrer]), [
    [true, ""],
    [true, "https://search.example"],
    [true, "https://blog.example"],
    [true, ""],
    [true, ""],
    [false, ""],
    [false, ""],
    [false, ""],
    [true, `${SITE}:8443`],
  ]);
  assertEquals(read(at("10:00", { name: "signup", referrer: "https://search.example/" })).isArrival, false);
  assertEquals(read(at("10:00", { page: null })).isArrival, true);
});

Deno.test("createVisitReader() reads tags of the query, else of the fragment", () => {
  const sources = [
    ...["/?utm_source=a&utm_source=b", "/?a=1?&utm_source=a", "/?UTM_SOURCE=a", "/#?utm_source=a", "/utm_source=a"],
    ...["/?utm_source", "/?xutm_source=a", "/?utm_source=%00a%0A", "/?utm_source=%", "/?utm_source=%C3%A9"],
    `/?utm_source=${"\u{1F375}".repeat(300)}`,
  ].map((page) => read(at("10:00", { page })).from.source);

  assertEquals(sources, ["a", "a", "", "a", "", "", "", "\ufffda\ufffd", "%", "é", "\u{1F375}".repeat(256)]);
});

Deno.test("createVisitReader() has a time for any event, so that none keeps others from being counted", () => {
  const timestamps = ["2026-03-01T10:00:00.000Z", "nonsense", ""];

  assertEquals(timestamps.map((timestamp) => read({ ...at("10:00"), timestamp }).time), [1_772_359_200_000, 0, 0]);
});

Deno.test("createVisitReader() reads engagement that is a number, of its event alone", () => {
  const engaged = (engagedMs: unknown, name = "$engagement"): number =>
    read(at("10:00", { name, properties: { engagedMs } })).engagedMs;
  const values = [4_999.5, 0.4, -5, 1e12, "5000", [5_000], true, null, undefined, Infinity, NaN, {}];

  assertEquals(values.map((value) => engaged(value)), [5_000, 0, 0, 86_400_000, ...Array(8).fill(0)]);
  assertEquals(engaged(5_000, "engagement"), 0);
  assertEquals(read(at("10:00", { name: "$engagement" })).engagedMs, 0);
});

Deno.test("createVisitReader() cuts and cleans what a sender makes up", () => {
  const long = "x".repeat(600);
  const { site, path, name, session, visitor, user, from } = read({
    ...at("10:00", { page: `https://${"a.".repeat(400)}example/${long}?utm_campaign=${long}` }),
    ...{ name: `a\0\ud800${long}`, sessionId: long, identity: { userId: `\n${long}`, anonymousId: long } },
  });

  assertEquals([site, path, session, visitor, user, from.campaign].map(({ length }) => length), Array(6).fill(512));
  assertEquals([name.length, name.slice(0, 3), user[0]], [512, "a\ufffd\ufffd", "\ufffd"]);
});

Deno.test("classifyScreen() has a class for any width, and none without", () => {
  const widths = [undefined, NaN, -1, 0, 0.5, 575.9, 576, 991, 992, 1439, 1440, Infinity];

  assertEquals(widths.map(classifyScreen), [
    ...["", "", "", "", "phone", "phone", "tablet", "tablet", "laptop", "laptop", "desktop", "desktop"] as const,
  ]);
});

Deno.test("isTagged() tells a link with a tag of campaigns from one that came from a page", () => {
  const referred = { ...NOWHERE, referrer: "https://blog.example" };

  const sources = [{ ...referred, source: "news" }, referred, { ...NOWHERE, medium: "email" }];
  assertEquals(sources.map(isTagged), [true, false, true]);
});

Deno.test("createVisitReader() reads any event as the reference does", () => {
  fc.assert(fc.property(aHistory, (history) => {
    const readFacts = createVisitReader();
    for (const event of history.flatMap((step) => step.kind === "store" ? step.events : [])) {
      const { properties: _, violation: __, visit: ___, dimensions: ____, ...rest } = readEvent(event);
      const { traffic, place: _place, id: _id, ...expected } = rest;

      assertEquals<unknown>(readFacts(event), { ...expected, flag: TRAFFIC_FLAGS[traffic] });
    }
  }));
});
