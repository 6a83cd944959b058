import { assertEquals } from "@std/assert";
import type { StoredEvent } from "../../../../../src/ingest/mod.ts";
import { buildEvent, buildPageview, SITE } from "../../fixtures.ts";
import { searchOf, textsOf, withPage } from "../../page_fixtures.ts";
import { ask, createTestReports } from "../../reports_fixtures.ts";

Deno.test("createReports() shows the last 30 minutes, whose rows lead to the overview of today, and no days to choose", async () => {
  const reports = await createTestReports([
    buildPageview({
      timestamp: "2026-03-31T11:31:00.000Z",
      pageUrl: `${SITE}/teas`,
      anonymousId: "v-1",
      sessionId: "s",
    }),
    buildEvent({
      timestamp: "2026-03-31T11:58:00.000Z",
      pageUrl: `${SITE}/teas`,
      name: "order",
      anonymousId: "v-1",
      sessionId: "s",
    }),
  ]);
  const search = "?view=live&from=2026-01-01&to=2026-01-31&zone=Europe/Berlin";

  await withPage(await ask(reports, search), (page) => {
    assertEquals(textsOf(page, ".choice summary"), ["The last 30 minutes, until 14:00 · Europe/Berlin Change"]);
    assertEquals(textsOf(page, ".figures > div"), [
      "Visitors now 1 with consent, in the last 5 minutes",
      "Visitors 1 with consent, in 30 minutes",
      "Pageviews 1 1 with consent, 0 before it",
      "Sessions 1 that began in 30 minutes",
    ]);
    assertEquals(textsOf(page, ".plot > text"), ["30 min ago", "20 min ago", "10 min ago"]);
    assertEquals(textsOf(page, ".column")[1], "29 to 28 minutes ago: 1(1 with consent, 0 before consent)");
    assertEquals(textsOf(page, ".days tbody tr").filter((row) => !row.endsWith(" 0 0")), [
      "2 to 1 minutes ago 0 1",
      "29 to 28 minutes ago 1 1",
    ]);
    assertEquals(textsOf(page, ".columns tbody th"), ["/teas", "Direct or unknown", "order"]);
    assertEquals([...page.querySelectorAll(".columns tbody a")].map((link) => link.getAttribute("href")), [
      "?site=https%3A%2F%2Fshop.example&from=2026-03-31&to=2026-03-31&zone=Europe%2FBerlin&filter=page%3A%2Fteas",
      "?site=https%3A%2F%2Fshop.example&from=2026-03-31&to=2026-03-31&zone=Europe%2FBerlin&filter=channel%3ADirect+or+unknown",
      "?site=https%3A%2F%2Fshop.example&from=2026-03-31&to=2026-03-31&zone=Europe%2FBerlin&filter=step%3Aorder",
    ]);
    assertEquals(textsOf(page, "nav[aria-label=Ranges] a"), []);
    assertEquals(searchOf(page, "nav[aria-label=Refresh] a").get("view"), "live");
    assertEquals([...page.querySelectorAll(".choice form [name]")].map((field) => field.getAttribute("name")), [
      ...["site", "zone", "view", "from", "to"],
    ]);
  });
  const early = buildPageview({ timestamp: "2026-03-31T11:31:00.000Z", pageUrl: `${SITE}/`, collection: "aggregate" });
  await withPage(await ask(await createTestReports([early]), "?view=live"), (page) => {
    assertEquals(textsOf(page, ".columns h2"), ["Pages", "Sources", "Steps"]);
    assertEquals(textsOf(page, ".columns .note"), Array(2).fill("None in these minutes."));
  });
});

Deno.test("createReports() says when the newest event was, where the last 30 minutes have none", async () => {
  const readQuiet = async (events: readonly StoredEvent[], search = ""): Promise<unknown> => {
    let read: unknown;
    await withPage(await ask(await createTestReports(events), `?view=live${search}`), (page) => {
      read = [textsOf(page, "main h2"), textsOf(page, "main section p"), page.querySelectorAll("svg, table").length];
    });
    return read;
  };
  const quiet = (text: string): unknown => [["Nothing in the last 30 minutes"], [text], 0];
  const today = buildPageview({ timestamp: "2026-03-31T09:14:00.000Z", pageUrl: `${SITE}/` });
  const yesterday = buildPageview({ timestamp: "2026-03-30T21:14:00.000Z", pageUrl: `${SITE}/` });
  const own: StoredEvent = {
    ...buildPageview({ timestamp: "2026-03-31T11:58:00.000Z", pageUrl: `${SITE}/` }),
    flag: "own",
  };

  assertEquals(await readQuiet([yesterday, today]), quiet("The newest event is from 09:14."));
  assertEquals(await readQuiet([today], "&zone=Asia/Tokyo"), quiet("The newest event is from 18:14."));
  assertEquals(await readQuiet([yesterday]), quiet("The newest event is from 30 Mar 2026, 21:14."));
  assertEquals(
    await readQuiet([own]),
    quiet("The newest event is from 11:58. It is of a bot or an own visit, which are left out."),
  );
  assertEquals(
    await readQuiet([own], "&traffic=bots"),
    [["Nothing in the last 30 minutes"], [
      "The site's newest event is from 11:58, with or without what is chosen above.",
    ], 0],
  );
  assertEquals(await readQuiet([]), quiet("No event of shop.example has arrived yet."));
});

Deno.test("createReports() has the page of the last minutes read itself anew, until its reader stops it", async () => {
  const reports = await createTestReports([]);
  const on = await ask(reports, "?view=live");
  const off = await ask(reports, "?view=live&refresh=off");
  const others = await ask(reports, "?view=pages");

  assertEquals([on, off, others].map(({ headers }) => headers.get("Refresh")), ["30", null, null]);
  await withPage(on, (page) => {
    assertEquals(textsOf(page, "nav[aria-label=Refresh] a"), ["Refresh", "Stop refreshing each 30 seconds"]);
    assertEquals(searchOf(page, "nav[aria-label=Refresh] li:last-child a").get("refresh"), "off");
  });
  await withPage(off, (page) => {
    assertEquals(textsOf(page, "nav[aria-label=Refresh] a"), ["Refresh", "Refresh each 30 seconds"]);
    assertEquals(searchOf(page, "nav[aria-label=Refresh] a").get("refresh"), "off");
    assertEquals(searchOf(page, "nav[aria-label=Refresh] li:last-child a").get("refresh"), null);
  });
  await others.body?.cancel();
});
