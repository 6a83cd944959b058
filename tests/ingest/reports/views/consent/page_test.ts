import { assertEquals, assertStringIncludes } from "@std/assert";
import { buildEvent, buildPageview, SITE } from "../../fixtures.ts";
import { NOON, RANGE, searchOf, textsOf, VISIT, withPage } from "../../page_fixtures.ts";
import { ask, createTestReports } from "../../reports_fixtures.ts";

Deno.test("createReports() shows what came with consent and before it, and no rate of refusals", async () => {
  await withPage(await ask(await createTestReports(VISIT), `${RANGE}&view=consent`), (page) => {
    assertEquals(textsOf(page, ".figures > div"), [
      "With consent 50% 0% before",
      "Views with consent 1 0 before",
      "Views before consent 1 1 before 1 for each of 1 arrival among them",
      "Arrivals before a choice 2 1 before 1 consented on the page that they came to; the others later, or never",
      "Newly consented 1 0 before new visitors; each sign-out makes one more",
      "Acceptance about 5 in 10 fewer than 1 in 10 before",
      "Arrivals with consent 1 1 view per session",
    ]);
    assertEquals(textsOf(page, "h2"), ["Consent", "Share with consent per day", "By page", "By source"]);
    assertEquals(textsOf(page, ".columns tbody tr"), [
      "/ 11 before0%0% before",
      "/café 10 before100%– before",
      "search.example 10 before100%– before",
      "no referrer 11 before0%0% before",
    ]);
    assertEquals(textsOf(page, ".columns th[scope=col] a"), [
      ...["Path", "Views", "With consent", "Referrer", "Arrivals", "With consent"],
    ]);
    assertEquals(searchOf(page, ".columns th[scope=col]:last-child a").get("sort"), "consentShare");
    assertEquals(textsOf(page, ".columns section > .note a"), [
      "All pages, those with the least consent first",
      "Those with the least consent first",
    ]);
    assertStringIncludes(textsOf(page, "main")[0] ?? "", "there is no rate of refusals");
  });
});

for (
  const [before, landed, stepped, expected] of [
    [30, 1, 0, "Acceptance fewer than 1 in 10 of the arrivals before a choice"],
    [1, 0, 1, "Acceptance about 10 in 10 of the arrivals before a choice"],
    [1, 0, 2, "Acceptance – no estimate of how many accept"],
    [0, 1, 0, "Acceptance – no estimate of how many accept"],
    [0, 0, 0, undefined],
  ] as const
) {
  Deno.test(`createReports() estimates of ${before} views before consent, ${landed} landings and ${stepped} others how many accept`, async () => {
    const reports = await createTestReports([
      ...Array.from(
        { length: before },
        () => buildPageview({ timestamp: NOON, pageUrl: `${SITE}/`, collection: "aggregate" }),
      ),
      ...Array.from(
        { length: landed },
        (_, index) =>
          buildPageview({ timestamp: NOON, pageUrl: `${SITE}/`, anonymousId: `l-${index}`, sessionId: `l-${index}` }),
      ),
      ...Array.from(
        { length: stepped },
        (_, index) =>
          buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, anonymousId: `s-${index}`, sessionId: `s-${index}` }),
      ),
    ]);

    await withPage(await ask(reports, `${RANGE}&view=consent`), (page) => {
      assertEquals(textsOf(page, ".figures > div").find((text) => text.startsWith("Acceptance")), expected);
    });
  });
}

Deno.test("createReports() says where the rest of the lists of consent is", async () => {
  const views = Array.from(
    { length: 26 },
    (_, index) => buildPageview({ timestamp: NOON, pageUrl: `${SITE}/${index}`, collection: "aggregate" }),
  );

  await withPage(await ask(await createTestReports(views), `${RANGE}&view=consent`), (page) => {
    assertEquals(textsOf(page, ".columns section > p.note"), [
      "25 of 26 pages; consent.json has more.",
      "All pages, those with the least consent first",
    ]);
    assertEquals(textsOf(page, ".columns .caption"), [
      "Pageviews, and the share with consent; a page leads to its overview.",
      "Pageviews that came from elsewhere, and the share with consent.",
    ]);
  });
});
