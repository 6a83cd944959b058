import { assertEquals } from "@std/assert";
import { RANGE, searchOf, textsOf, VISIT, withPage } from "../page_fixtures.ts";
import { SITE } from "../fixtures.ts";
import { ask, createTestReports, TEST_KEY } from "../reports_fixtures.ts";

Deno.test("createReports() shows each filter, what it chooses, and a link that removes it", async () => {
  const filters = 'filter=page:/&filter=page:/caf%25C3%25A9&filter=property@signup:plan:"pro"&filter=campaign:';

  await withPage(await ask(await createTestReports(VISIT), `${RANGE}&view=pages&${filters}`), (page) => {
    assertEquals(textsOf(page, ".filters li"), [
      "Page Remove the filter Page / × or Remove the filter Page /café × " +
      "chooses what happened on the page, and sessions that were there; views before consent count",
      'Property plan of signup Remove the filter Property plan of signup "pro" × ' +
      "chooses whole sessions; views before consent don't count, since they belong to none",
      "Campaign Remove the filter Campaign none × " +
      "chooses whole sessions; views before consent don't count, since they belong to none",
    ]);
    assertEquals(searchOf(page, ".filters a").getAll("filter"), [
      "page:/caf%C3%A9",
      'property@signup:plan:"pro"',
      "campaign:",
    ]);
    assertEquals(searchOf(page, ".filters p a").getAll("filter"), []);
    assertEquals(searchOf(page, "nav[aria-label=Sections] a").getAll("filter").length, 4);
    assertEquals([...page.querySelectorAll('.choice form [name="filter"]')].length, 4);
    assertEquals(textsOf(page, "main .empty p"), [
      "Nothing of https://shop.example from 27 Mar 2026 to 31 Mar 2026 fits these filters.",
      "Remove all filters",
    ]);
  });
});

Deno.test("createReports() takes another filter by a field, beside those that hold, and a path as it is", async () => {
  const reports = await createTestReports(VISIT, {
    keys: [{ ...TEST_KEY, goals: { Order: { step: "order" } } }],
  });

  await withPage(await ask(reports, `${RANGE}&view=pages&filter=screen:phone&offset=25`), (page) => {
    const fields = [...page.querySelectorAll(".adding form [name]")];
    assertEquals(fields.map((field) => [field.getAttribute("name"), field.getAttribute("value")]), [
      ...[["view", "pages"], ["site", SITE], ["from", "2026-03-27"], ["to", "2026-03-31"], ["filter", "screen:phone"]],
      ["filter", null],
    ]);
    const proposals = [...page.querySelectorAll("#filters option")].map((option) => option.getAttribute("value"));
    assertEquals(
      ["screen:phone", "visitor:new", "signedIn:no", "goal:Order"].every((one) => proposals.includes(one)),
      true,
    );
  });
  await withPage(await ask(reports, `${RANGE}&filter=/caf%C3%A9*`), (page) => {
    assertEquals(searchOf(page, "nav[aria-label=Sections] a").getAll("filter"), ["page:/café*"]);
  });
});
