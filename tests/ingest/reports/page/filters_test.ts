import { assertEquals } from "@std/assert";
import { RANGE, searchOf, textsOf, VISIT, withPage } from "../page_fixtures.ts";
import { ask, createTestReports } from "../reports_fixtures.ts";

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
    assertEquals([...page.querySelectorAll('form [name="filter"]')].length, 4);
    assertEquals(textsOf(page, "main .empty p"), [
      "Nothing of https://shop.example from 27 Mar 2026 to 31 Mar 2026 fits these filters.",
      "Remove all filters",
    ]);
  });
});
