import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { createReports, type Note } from "../../../../src/ingest/mod.ts";
import { findNoteProblem } from "../../../../src/ingest/reports/query/notes.ts";
import { SITE } from "../fixtures.ts";
import { searchOf, textsOf, withPage } from "../page_fixtures.ts";
import { createReferenceStore } from "../reference_store.ts";
import { ask, createTestReports, TEST_KEY } from "../reports_fixtures.ts";
import { at } from "../visit_fixtures.ts";

const NOTES: readonly Note[] = [
  { day: "2026-03-31", text: "<b>new banner" },
  { day: "2026-03-03", text: "sale", site: SITE },
  { day: "2026-03-10", text: "of another site", site: "https://blog.example" },
  { day: "2026-02-28", text: "before these days" },
];

const EVENTS = [at("2026-03-30T10:00:00.000Z", { visitor: "v", session: "s" })];

const KEYS = [{ ...TEST_KEY, notes: NOTES }];

/** Returns how far from the left the chart is marked, in percent. */
function findMarks(page: string): readonly (string | undefined)[] {
  return [...page.matchAll(/<circle class="mark" cx="([\d.]+)%"/g)].map(([, x]) => x);
}

Deno.test("overview, consent and a step have the notes of their site and days, the first day first", async () => {
  const reports = await createTestReports(EVENTS, { keys: KEYS });

  const { notes } = await (await ask(reports, "?format=json&from=2026-03-01&to=2026-03-31")).json();
  const ofBlog = await reports.overview({ site: "https://blog.example", from: "2026-03-01" });

  const consent = await (await ask(reports, "?view=consent&format=json&from=2026-03-01&to=2026-03-31")).json();
  const { values } = await reports.steps({ step: "order", from: "2026-03-01" });

  assertEquals(notes, [NOTES[1], NOTES[0]]);
  assertEquals([consent.notes, values?.notes], [notes, notes]);
  assertEquals(ofBlog.notes.map(({ text }) => text), ["of another site", "<b>new banner"]);
});

Deno.test("CSV has the notes in the row of their hour, day or week", async () => {
  const reports = await createTestReports(EVENTS, { keys: KEYS });
  const read = async (query: string): Promise<readonly string[]> => {
    const text = await (await ask(reports, `?format=csv&to=2026-03-31&${query}`)).text();
    assertMatch(text, /^[^\r]*,"Notes"\r\n/);
    return text.split("\r\n").filter((line) => /,"[^"]+"$/.test(line)).slice(1).map((line) =>
      line.replace(/^"([^"]+)".*,"/, "$1 ").replace(/"$/, "")
    );
  };

  assertEquals(await read("view=consent&from=2026-03-01"), ["2026-03-03 sale", "2026-03-31 <b>new banner"]);
  assertEquals(await read("from=2026-03-30"), ["2026-03-31T00:00 <b>new banner"]);
  assertEquals(await read("from=2025-12-01"), [
    ...["2026-02-23 before these days", "2026-03-02 sale", "2026-03-30 <b>new banner"],
  ]);
});

Deno.test("the charts mark the hour, day or week of a note, and list it as text", async () => {
  const reports = await createTestReports(EVENTS, { keys: KEYS });
  const read = async (query: string): Promise<string> => await (await ask(reports, `?to=2026-03-31&${query}`)).text();

  for (const view of ["overview", "consent", "steps&step=order"]) {
    const page = await read(`view=${view}&from=2026-03-02`);
    assertEquals(findMarks(page), [1.5, 29.5].map((day) => String(Math.round(day / 30 * 100_000) / 1000)));
    // A note leads to the days since.
    assertMatch(page, /<a href="[^"]*from=2026-03-31&amp;to=2026-03-31[^"]*"><bdi>&lt;b&gt;new banner/);
    assertEquals([page.includes("<b>new banner"), page.includes("<bdi>sale</bdi>")], [false, true]);
  }
  assertEquals(findMarks(await read("from=2026-03-30")), [String(Math.round(24.5 / 48 * 100_000) / 1000)]);
  assertEquals(findMarks(await read("from=2025-12-01")).length, 3);
  assertEquals(findMarks(await (await ask(reports, "?from=2026-03-11&to=2026-03-30")).text()), []);
});

Deno.test("below a chart stands the newest note of the site in the 90 days before, which leads to the days since", async () => {
  const reports = await createTestReports(EVENTS, {
    keys: [{ ...TEST_KEY, notes: [...NOTES, { day: "2025-11-29", text: "old" }] }],
  });
  const read = async (query: string): Promise<readonly string[]> =>
    await withPage(await ask(reports, `?${query}`), (page) => textsOf(page, ".notes li"));

  for (const view of ["overview", "consent", "steps&step=order"]) {
    assertEquals(await read(`view=${view}&from=2026-03-04&to=2026-03-30`), ["Before these days: 3 Mar 2026 sale"]);
  }
  assertEquals(await read("from=2026-03-03&to=2026-03-30"), [
    "Before these days: 28 Feb 2026 before these days",
    "3 Mar 2026 sale",
  ]);
  assertEquals((await read("from=2026-02-27&to=2026-03-30"))[0], "Before these days: 29 Nov 2025 old");
  assertEquals((await read("from=2026-02-28&to=2026-03-30"))[0], "28 Feb 2026 before these days");
  // From the note on it would be more days than a report spans.
  assertEquals((await read("from=2026-03-04&to=2036-03-03"))[0], "Before these days: 3 Mar 2026 sale");
  assertEquals((await read("from=2026-03-04&to=2036-03-04"))[0], "31 Mar 2026 <b>new banner");

  const search = await withPage(
    await ask(reports, "?view=consent&from=2026-03-04&to=2026-03-30"),
    (page) => searchOf(page, ".notes a"),
  );
  assertEquals(["view", "from", "to", "compare"].map((name) => search.get(name)), [
    ...["consent", "2026-03-03", "2026-03-30", "weeks"],
  ]);
  const { notes } = await (await ask(reports, "?format=json&from=2026-03-04&to=2026-03-30")).json();
  assertEquals(notes, []);
});

Deno.test("createReports() refuses notes that can't be, and repeats nothing of them", () => {
  const problemOf = (...notes: readonly Note[]) => findNoteProblem(notes);
  const text = "a";

  assertEquals(problemOf(...NOTES), undefined);
  assertEquals(problemOf({ day: "2026-02-30", text }), "[0].day must be a day that exists, written as 2026-01-31");
  for (const wrong of ["", "  ", "a\nb", "a".repeat(201)]) {
    assertEquals(problemOf({ day: "2026-02-28", text: wrong }), "[0].text must be 1 to 200 characters in one line");
  }
  assertEquals(problemOf({ day: "2026-02-28", text, site: "shop" }), "[0].site must be an origin");
  assertEquals(problemOf(...Array<Note>(1001).fill({ day: "2026-02-28", text })), " must be at most 1000");
  assertThrows(
    () =>
      createReports({ reader: createReferenceStore(() => []), keys: [{ ...TEST_KEY, notes: [{ day: "", text }] }] }),
    TypeError,
    "keys[0].notes[0].day must be",
  );
});
