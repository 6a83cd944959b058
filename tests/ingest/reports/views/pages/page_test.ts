import { assertEquals } from "@std/assert";
import { buildEvent, buildPageview, SITE } from "../../fixtures.ts";
import { textsOf, withPage } from "../../page_fixtures.ts";
import { ask, createTestReports, TEST_KEY } from "../../reports_fixtures.ts";

const DAY = "from=2026-03-31&to=2026-03-31";

const on = (page: string, minute: number, session: string) => ({
  timestamp: `2026-03-31T12:${String(minute).padStart(2, "0")}:00.000Z`,
  pageUrl: SITE + page,
  sessionId: session,
  anonymousId: session,
});

Deno.test("the page has a field for a group of few pages, too, and says which exits come after a goal", async () => {
  const keys = [{ ...TEST_KEY, goals: { Order: { step: "order" } } }];
  const reports = await createTestReports([buildPageview(on("/", 1, "s")), buildPageview(on("/teas", 2, "s"))], {
    keys,
  });
  const read = async (search: string) =>
    await withPage(await ask(reports, `?view=pages&${DAY}&${search}`), (page) => [
      textsOf(page, "form[role=search] label"),
      textsOf(page, ".caption").some((text) => text.includes("Exits after a goal count, too")),
    ]);

  assertEquals([await read(""), await read("goal=Order")], [[["Contains"], true], [["Contains"], false]]);
});

Deno.test("the page adds up the pages that a text or a filter chooses, those beyond the first rows too", async () => {
  const teas = Array.from({ length: 30 }, (_, index) => buildPageview(on(`/teas/${index}`, index, `s-${index % 2}`)));
  const reports = await createTestReports([
    ...teas,
    buildPageview({ ...on("/teas/3", 31, ""), collection: "aggregate" }),
    { ...buildEvent({ ...on("/teas/3", 32, "s-1"), name: "$engagement" }), properties: { engagedMs: 60_000 } },
    buildPageview(on("/", 40, "s-1")),
  ]);
  const readFirst = async (search: string) =>
    await withPage(
      await ask(reports, `?view=pages&${DAY}&${search}`),
      (page) => textsOf(page, "tbody tr:first-child > *"),
    );

  // Views, consent, landings, exits and time; visitors and rates are of one page each.
  const together = ["These 30 pages together", "31", "–", "97%", "2", "1", "–", "–", "2 s"];
  assertEquals(await readFirst("contains=teas"), together);
  const later = await readFirst("contains=teas&offset=25");
  assertEquals([later.slice(0, 6), later.at(-1)], [together.slice(0, 6), "2 s"]);
  assertEquals((await readFirst("filter=page:/teas/*")).slice(0, 4), together.slice(0, 4));
  assertEquals((await readFirst("contains=teas/29"))[0], "/teas/29");
  assertEquals((await readFirst(""))[0], "/teas/3");
});
