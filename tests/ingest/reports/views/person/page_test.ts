import { assertEquals, assertStringIncludes } from "@std/assert";
import { buildEvent, buildPageview, SITE } from "../../fixtures.ts";
import { NOON, RANGE, searchOf, textsOf, withPage } from "../../page_fixtures.ts";
import { ask, createTestReports, TEST_KEY } from "../../reports_fixtures.ts";

Deno.test("createReports() shows the newest 200 events of a person, whose id is in no address, and nothing of theirs runs", async () => {
  const hostile = `</td><script>alert(1)</script>\u202e`;
  const ada = { anonymousId: "ada", sessionId: "s-1", pageUrl: `${SITE}/caf%c3%a9` } as const;
  const reports = await createTestReports([
    ...Array.from({ length: 250 }, () => ({
      ...buildPageview({ ...ada, timestamp: "2026-03-29T10:00:00.000Z" }),
      flag: "own" as const,
    })),
    { ...buildEvent({ ...ada, timestamp: "2026-03-30T23:00:00.000Z", name: hostile }), properties: { plan: hostile } },
  ]);
  const init = {
    method: "POST",
    headers: { Authorization: `Bearer ${TEST_KEY.secretKey}` },
    body: new URLSearchParams({ anonymousId: "ada" }),
  };

  await withPage(await ask(reports, `${RANGE}&view=person&zone=Europe/Berlin&filter=page:/x`, init), (page, text) => {
    assertEquals(page.querySelectorAll("tbody tr:not(.visit)").length, 200);
    assertEquals(textsOf(page, "tbody tr:nth-child(2) > *"), [
      ...["Tue 31 Mar 2026, 01:00:00", "</td><script>alert(1)</script>\ufffd", "/café"],
      "plan </td><script>alert(1)</script>\ufffd",
    ]);
    const links = [...page.querySelectorAll("tbody tr:last-child a")].map((link) =>
      new URLSearchParams(link.getAttribute("href") ?? "")
    );
    assertEquals(links.map((link) => ["filter", "from", "to", "traffic", "view"].map((name) => link.get(name))), [
      ["page:/caf%C3%A9", "2026-03-29", "2026-03-29", "own", null],
    ]);
    assertEquals(textsOf(page, "tbody tr:last-child td")[0], "Pageview own visit, left out");
    assertEquals(searchOf(page, "tbody a").get("traffic"), null);
    assertEquals(searchOf(page, "tbody a").get("filter"), `step:${hostile}`);
    assertEquals(textsOf(page, "pre"), ["vendor-ingest data erase --key='pk_test_1' --anonymous-id='ada'"]);
    assertEquals([text.includes("<script"), /(href|action)="[^"]*ada/.test(text)], [false, false]);
    assertEquals(textsOf(page, "main form button"), ["Older", "person.csv", "person.json", "Show"]);
    assertEquals(textsOf(page, ".filters"), []);
  });
  const readOlder = async (offset: number) =>
    await withPage(await ask(reports, `?view=person&offset=${offset}`, init), (page) => [
      textsOf(page, "main section:first-child > p")[0]?.split(",")[0],
      page.querySelectorAll("tbody tr:not(.visit)").length,
      ...[...page.querySelectorAll("form[aria-label='More events'] button")].map((button) => [
        button.textContent,
        new URLSearchParams(button.getAttribute("formaction") ?? "").get("offset"),
      ]),
    ]);
  assertEquals(await readOlder(0), ["The newest 200 events of all days", 200, ["Older", "200"]]);
  assertEquals(await readOlder(200), ["Events 201 to 251 of all days", 51, ["Newer", null]]);
  assertEquals(await readOlder(400), ["There are no older events.", 0, ["Newer", "200"]]);
  await withPage(await ask(reports, "?view=person"), (page) => {
    const form = page.querySelector('form[method="post"]');
    assertEquals(
      form?.getAttribute("action"),
      "?view=person&site=https%3A%2F%2Fshop.example&from=2026-03-02&to=2026-03-31",
    );
    assertEquals(textsOf(page, ".choice summary"), ["All that is kept · UTC Change"]);
    assertEquals(textsOf(page, "footer nav a"), []);
  });
  for (const [field, kind, other] of [["userId", "user", "visitor"], ["anonymousId", "visitor", "user"]] as const) {
    await withPage(
      await ask(reports, "?view=person", { ...init, body: new URLSearchParams({ [field]: "eve" }) }),
      (page) => {
        assertEquals(textsOf(page, "main .note"), [
          `No ${kind} has this ID on this site; capitals and blanks count. A ${other}'s ID goes into the other field.`,
        ]);
        assertEquals(textsOf(page, "main h2")[1], "Another visitor or user");
      },
    );
  }
  const signedIn = await createTestReports([buildPageview({ ...ada, timestamp: NOON, userId: "eve" })]);
  await withPage(
    await ask(signedIn, "?view=person", { ...init, body: new URLSearchParams({ userId: "eve" }) }),
    (page) => {
      assertEquals(textsOf(page, "main h2"), ["User eve", "Erase them", "Another visitor or user"]);
      // From the sign-in to what the browser did before.
      assertEquals(textsOf(page, "main form button"), ["person.csv", "person.json", "Visitor ada", "Show"]);
      assertStringIncludes(textsOf(page, "main")[0] ?? "", "With --with-visitors, what they did before they signed in");
    },
  );
});

Deno.test("createReports() sets the visits of a person apart, with weekday and length, and properties in words", async () => {
  const ada = { anonymousId: "ada", userId: "eve", pageUrl: `${SITE}/` } as const;
  const at = (time: string, sessionId: string) => ({ ...ada, sessionId, timestamp: `2026-03-${time}.000Z` });
  const reports = await createTestReports([
    buildPageview(at("30T09:00:00", "s-1")),
    {
      ...buildEvent({ ...at("30T09:02:05", "s-1"), name: "signup" }),
      properties: { plan: "free", total: 26.15, pageviewId: "p-1", isNew: true, tags: ["a"] },
    },
    { ...buildPageview(at("31T23:59:30", "s-2")), dimensions: { browser: "Firefox 145", country: "DE" } },
  ]);

  const answer = await ask(reports, "?view=person", {
    method: "POST",
    headers: { Authorization: `Bearer ${TEST_KEY.secretKey}` },
    body: new URLSearchParams({ userId: "eve" }),
  });

  await withPage(answer, (page) => {
    assertEquals(textsOf(page, "tbody th"), [
      ...["Tue 31 Mar 2026, 23:59 1 event in 0 s · Firefox 145 · DE", "23:59:30"],
      ...["Mon 30 Mar 2026, 09:00 2 events in 2 min 5 s", "09:02:05", "09:00:00"],
    ]);
    assertEquals(textsOf(page, "tbody td:last-child"), ["–", 'plan free · total 26.15 · isNew true · tags ["a"]', "–"]);
  });
});

Deno.test("createReports() asks on the page for one of the two ids, where neither or both are sent", async () => {
  const reports = await createTestReports([]);
  const send = (body: string): Promise<Response> =>
    ask(reports, "?view=person", {
      method: "POST",
      headers: { Authorization: `Bearer ${TEST_KEY.secretKey}` },
      body: new URLSearchParams(body),
    });

  for (const body of ["anonymousId=&userId=", "anonymousId=ada&userId=eve"]) {
    const answer = await send(body);
    assertEquals([body, answer.status], [body, 400]);
    await withPage(answer, (page, text) => {
      assertEquals(textsOf(page, "[role=alert]"), ["Fill in one of the two."]);
      assertEquals(textsOf(page, "main form label"), ["Visitor ID (anonymousId)", "User ID (userId of identify())"]);
      assertEquals(text.includes("in the body of a POST"), false);
    });
  }
  await withPage(await ask(reports, "?view=person"), (page) => {
    assertEquals(textsOf(page, "[role=alert]"), []);
    assertEquals(textsOf(page, "main .caption"), [
      "Their newest events on this site, of all days and without filters. A user's ID is the one that your application has. " +
      "A visitor's ID is in their browser: in localStorage, or in a cookie, under vendor.sdk.visitor.",
      "Fill in one of the two. The ID goes into no address.",
    ]);
  });
});
