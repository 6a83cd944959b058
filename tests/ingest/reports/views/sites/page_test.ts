import { assertEquals } from "@std/assert";
import { RANGE, searchOf, textsOf, VISIT, withPage } from "../../page_fixtures.ts";
import { ask, createTestReports } from "../../reports_fixtures.ts";
import { at } from "../../visit_fixtures.ts";

Deno.test("createReports() shows all sites beside each other, each of which leads to its overview", async () => {
  const reports = await createTestReports(VISIT);

  await withPage(await ask(reports, `${RANGE}&view=sites&compare=year`), (page) => {
    assertEquals(textsOf(page, "h1"), ["All sites"]);
    assertEquals(textsOf(page, "thead th"), [
      ...["Site", "Visitors", "Views", "Sessions", "With consent"],
    ]);
    assertEquals(textsOf(page, "tbody tr"), [
      "shop.example 10 a year ago20 a year ago10 a year ago50%– a year ago",
      "blog.example 00 a year ago00 a year ago00 a year ago–– a year ago",
    ]);
    const link = searchOf(page, "tbody tr:last-child a");
    assertEquals(["view", "site", "from", "to"].map((name) => link.get(name)), [
      ...[null, "https://blog.example", "2026-03-27", "2026-03-31"],
    ]);
    assertEquals([...page.querySelectorAll(".choice form [name]")].map((field) => field.getAttribute("name")), [
      ...["from", "to", "zone", "compare", "view", "site"],
    ]);
  });
});

Deno.test("createReports() shows what is of no site, where there is any", async () => {
  const step = at("2026-03-29T10:00:00Z", { name: "purchase", page: null, visitor: "ada" });
  const reports = await createTestReports([...VISIT, step]);

  await withPage(await ask(reports, `${RANGE}&view=sites`), (page) => {
    assertEquals(
      textsOf(page, "tbody tr").map((row) => row.split(" 0 ")[0]).at(-1),
      "Without a site 00 before00 before00 before–– before",
    );
    assertEquals(searchOf(page, "tbody tr:last-child a").get("site"), "none");
  });
  await withPage(await ask(reports, `${RANGE}&view=steps&site=none`), (page) => {
    assertEquals(textsOf(page, "h1"), ["Without a site"]);
    assertEquals([...page.querySelectorAll("select[name=site] option")].map((one) => one.textContent?.trim()), [
      ...["https://shop.example", "https://blog.example", "Without a site"],
    ]);
    assertEquals(textsOf(page, "select[name=site] option[selected]"), ["Without a site"]);
    assertEquals(textsOf(page, "tbody tr").some((row) => row.startsWith("purchase 1")), true);
  });
  const csv = await ask(reports, `${RANGE}&view=steps&site=none&format=csv`);
  assertEquals(csv.headers.get("Content-Disposition"), 'attachment; filename="steps-none-2026-03-27-2026-03-31.csv"');
  await csv.body?.cancel();
});
