import { assertEquals } from "@std/assert";
import { buildPageview, SITE } from "../../fixtures.ts";
import { NOON, RANGE, searchOf, textsOf, VISIT, withPage } from "../../page_fixtures.ts";
import { ask, createTestReports } from "../../reports_fixtures.ts";

Deno.test("createReports() has a row for the sessions that joined midway, which leads to them", async () => {
  const midway = { pageUrl: `${SITE}/cart`, referrer: `${SITE}/`, sessionId: "s-1", anonymousId: "v-1" };
  const direct = { pageUrl: `${SITE}/`, sessionId: "s-2", anonymousId: "v-2" };
  const events = [midway, direct].map((event) => buildPageview({ timestamp: "2026-03-31T11:59:00.000Z", ...event }));
  const reports = await createTestReports(events);

  for (const view of ["sources", "live"]) {
    for (const [by, filter] of [["landing", "entry:"], ["channel", "channel:Joined midway"]]) {
      await withPage(await ask(reports, `?view=${view}&by=${by}`), (page) => {
        const links = [...page.querySelectorAll("main tbody .label a")];
        const link = links.find(({ textContent }) => textContent === "Joined midway")?.getAttribute("href");
        assertEquals([view, new URLSearchParams(link ?? "").get("filter")], [view, filter]);
        const captions = textsOf(page, "main .caption").filter((text) => text.includes("joined midway"));
        assertEquals(
          captions.map((text) => text.includes("; those of them that tell a source stand under it.")),
          view === "live" ? [] : [by === "channel"],
        );
      });
    }
  }
  for (const filter of ["entry:", "channel:Joined+midway"]) {
    const { current } = await (await ask(reports, `?format=json&to=2026-03-31&filter=${filter}`)).json();
    assertEquals([current.sessions, current.landings], [1, 0]);
  }
  await withPage(await ask(reports, "?view=sources&to=2026-03-31&filter=entry:"), (page) => {
    assertEquals(textsOf(page, ".filters bdi"), ["Joined midway"]);
  });
});

Deno.test("createReports() lists sources of the session or of the visitor's first, whose rows lead to no filter", async () => {
  const reports = await createTestReports([
    buildPageview({
      timestamp: "2026-01-31T10:00:00.000Z",
      pageUrl: `${SITE}/?utm_source=news&utm_medium=email`,
      sessionId: "s-0",
      anonymousId: "v-1",
    }),
    ...VISIT,
  ]);
  const rowOf = async (search: string): Promise<unknown> => {
    let row: unknown;
    await withPage(await ask(reports, `${RANGE}&view=sources${search}`), (page) => {
      row = [...textsOf(page, "main tbody tr:first-child > *"), textsOf(page, "main tbody a").length];
    });
    return row;
  };

  assertEquals(await rowOf(""), ["Other sites", "10 before", "10 before", "1", "0%", 2]);
  assertEquals(await rowOf("&of=first"), ["Email", "1", "1", "0%", 0]);
  await withPage(await ask(reports, `${RANGE}&view=sources&by=landing&of=first`), (page) => {
    assertEquals(textsOf(page, "main .caption"), [
      "By the landing page of each visitor's first session in all that is kept. Views before consent have no visitor, and are left out.",
    ]);
    assertEquals(textsOf(page, "main [aria-current=true]"), ["Landing page", "Of the visitor's first"]);
    const [session, first] = ["li:first-child a", "li:last-child a"].map((place) =>
      searchOf(page, `nav[aria-label="Sources of"] ${place}`)
    );
    assertEquals([session?.get("of"), session?.get("by")], [null, "landing"]);
    assertEquals([first?.get("of"), first?.get("by")], ["first", "landing"]);
    // The choice stays with another grouping, other days, the form and the files, and ends with the section.
    assertEquals(searchOf(page, 'nav[aria-label="Sources by"] a').get("of"), "first");
    assertEquals(searchOf(page, "nav[aria-label=Ranges] a").get("of"), "first");
    assertEquals(page.querySelector("form [name=of]")?.getAttribute("value"), "first");
    assertEquals(searchOf(page, "footer a").get("of"), "first");
    assertEquals(searchOf(page, "nav[aria-label=Sections] a").get("of"), null);
  });
});

Deno.test("createReports() says that not all sources are told, where somebody makes up too many", async () => {
  const views = Array.from(
    { length: 10_001 },
    (_, index) => buildPageview({ timestamp: NOON, pageUrl: `${SITE}/?utm_source=made-up-${index}` }),
  );
  const captionOf = async (events: typeof views): Promise<unknown> => {
    let caption: unknown;
    await withPage(await ask(await createTestReports(events), `${RANGE}&view=sources`), (page) => {
      caption = textsOf(page, "main .caption")[0];
    });
    return caption;
  };

  assertEquals(await captionOf(views.slice(1)), "By the channel of sessions, which are with consent.");
  assertEquals(
    await captionOf(views),
    "By the channel of sessions, which are with consent. There are too many sources to list each channel: all but the 10,000 most frequent are Other.",
  );
});
