import { assertEquals, assertStringIncludes } from "@std/assert";
import { textsOf, withPage } from "../../page_fixtures.ts";
import { ask, createTestReports } from "../../reports_fixtures.ts";
import { at } from "../../visit_fixtures.ts";

/** Four weeks of visitors, of whom these come back; the last week isn't over. */
const COHORTS = [
  { first: "2026-03-09", size: 20, back: [["2026-03-16", 1], ["2026-03-30", 2]] },
  { first: "2026-03-16", size: 10, back: [["2026-03-23", 2], ["2026-03-30", 1]] },
  { first: "2026-03-23", size: 5, back: [["2026-03-30", 1]] },
  { first: "2026-03-30", size: 4, back: [] },
] as const;

Deno.test("createReports() shows who comes back of all cohorts together, and shades what differs", async () => {
  const reports = await createTestReports(COHORTS.flatMap(({ first, size, back }) => {
    const view = (day: string) => (_: unknown, index: number) =>
      at(`${day}T10:00:00Z`, { visitor: `${first}-${index}`, session: `${first}-${day}-${index}` });
    return [
      ...Array.from({ length: size }, view(first)),
      ...back.flatMap(([day, length]) => Array.from({ length }, view(day))),
    ];
  }));

  await withPage(await ask(reports, "?view=retention&from=2026-03-09"), (page) => {
    assertEquals(textsOf(page, "main section .lead"), [
      "Of the visitors whose second week is over and in the table, 10% came back in it: 3 of 30.",
    ]);
    assertEquals(textsOf(page, "main .caption"), [
      "Each row has the visitors with consent whose first event, in all that is kept, is in that week. Week 0 is that week, " +
      "Week 1 the week after. The last week isn't over yet: the shares of All leave it out.",
    ]);
    assertEquals([...page.querySelectorAll("tbody tr")].map((row) => textsOf(row as unknown as Document, "th, td")), [
      ["All", "39", "100%", "10%", "0%", "–"],
      ["9 Mar 2026", "20", "100%", "5.0%", "0%", "10%"],
      ["16 Mar 2026", "10", "100%", "20%", "10%"],
      ["23 Mar 2026", "5", "100%", "20%"],
      ["30 Mar 2026", "4", "100%"],
    ]);
    assertEquals(
      [...page.querySelectorAll("tbody tr")].map((row) =>
        [...row.querySelectorAll("td[title]")].map((cell) => cell.getAttribute("class"))
      ),
      [["h0", "h3", "h0", "h0"], ["h0", "h1", "h0", "h3"], ["h0", "h5", "h3"], ["h0", "h5"], ["h0"]],
    );
    assertEquals(page.querySelectorAll("tbody td")[2]?.getAttribute("title"), "3 of 30 visitors");
  });
  await withPage(await ask(reports, "?view=retention&from=2026-03-09&to=2026-03-24"), (page) => {
    assertEquals(textsOf(page, "tbody tr")[0], "All35100%10%0%");
    assertEquals(textsOf(page, "main .caption")[0]?.includes("isn't over"), false);
  });
  await withPage(await ask(reports, "?view=retention&from=2026-03-09&event=/none"), (page) => {
    assertEquals(textsOf(page, "main section .lead"), [
      "Of the visitors whose second week is over and in the table, 0% came back to page /none in it: 0 of 30.",
    ]);
  });
  await withPage(await ask(reports, "?view=retention&from=2026-03-30"), (page) => {
    assertEquals(textsOf(page, "main section .lead"), ["Choose more than one week to see who comes back."]);
    assertEquals(textsOf(page, "tbody tr"), ["All4–", "30 Mar 20264100%"]);
  });
  await withPage(await ask(reports, "?view=retention&from=2026-03-23"), (page) => {
    assertEquals(textsOf(page, "main section .lead"), [
      "Who comes back shows once a visitor's second week is over.",
    ]);
  });
  await withPage(await ask(reports, "?view=retention&from=2026-01-05&to=2026-01-18"), (page) => {
    assertEquals(textsOf(page, "main section .lead"), ["Nobody was first seen before the last of these weeks."]);
  });
  await withPage(await ask(reports, "?view=retention&unit=day&from=2026-03-09"), (page) => {
    assertEquals(textsOf(page, "thead th").slice(-2), ["Day 11", "Day 12"]);
    assertEquals(textsOf(page, "thead th").length, 15);
    assertEquals(textsOf(page, "tbody tr")[1], "9 Mar 202620100%0%0%0%0%0%0%5.0%0%0%0%0%0%");
    assertStringIncludes(
      textsOf(page, "main .caption")[0] ?? "",
      "The table ends with Day 12; the file below has all 23 days.",
    );
  });
  const { cohorts } = await (await ask(reports, "?view=retention&unit=day&from=2026-03-09&format=json")).json();
  assertEquals(cohorts[0].returned.length, 23);
});
