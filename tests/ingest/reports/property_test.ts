import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { html } from "../../../src/ingest/reports/page/html.ts";
import { SITE } from "./fixtures.ts";
import { ask, createTestReports, NOW_MS, REPORTS_URL, SECRET } from "./reports_fixtures.ts";

Deno.test("createReports() answers whatever it is asked", async () => {
  const reports = await createTestReports([]);
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "",
      "2026-02-30",
      "2026-03-01",
      "0000-01-01",
      "9999-12-31",
      "json",
      "csv",
      "pages",
      "steps",
      "consent",
      "sources",
      "first",
      SITE,
    ),
    fc.constantFrom("page:/teas", "campaign:", "property:plan:3", "Europe/Berlin", "year", "campaign"),
  );
  const search = fc.record(
    {
      view: text,
      site: text,
      from: text,
      to: text,
      format: text,
      zone: text,
      filter: text,
      compare: text,
      by: text,
      of: text,
      step: text,
    },
    { requiredKeys: [] },
  );

  await fc.assert(
    fc.asyncProperty(search, fc.constantFrom("GET", "HEAD", "POST", "DELETE"), async (parameters, method) => {
      const answer = await ask(reports, `?${new URLSearchParams(parameters)}`, {
        method,
        headers: { Authorization: `Bearer ${SECRET}` },
      });
      await answer.text();

      assertEquals([200, 400, 404, 405].includes(answer.status), true, `${answer.status}`);
    }),
    { numRuns: 40 },
  );
});

Deno.test("createReports() opens for no header but the one with the secret", async () => {
  let nowMs = NOW_MS;
  // A minute between two of them, so that none is turned away for the ones before.
  const reports = await createTestReports([], { now: () => nowMs += 60_000 });
  const header = fc.oneof(
    fc.base64String().map((value) => `Basic ${value}`),
    fc.string().map((value) => `Basic ${btoa(encodeURIComponent(value))}`),
    fc.stringMatching(/^[!-~ ]*$/),
    fc.stringMatching(/^[!-~]*$/).map((value) => `Bearer ${value}`),
  );

  await fc.assert(
    fc.asyncProperty(header, async (authorization) => {
      const answer = await reports(new Request(REPORTS_URL, { headers: { Authorization: authorization } }));
      await answer?.body?.cancel();

      assertEquals(answer?.status, 401);
    }),
    { numRuns: 300 },
  );
});

Deno.test("html keeps any text within its quotes and its element", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const { markup } = html`<b title="${text}">${text}</b>`;
      const [, attribute, content] = /^<b title="([^"<>]*)">([^"<>']*)<\/b>$/.exec(markup) ?? [];

      assertEquals(attribute, content);
      assertEquals(decode(attribute ?? ""), text);
    }),
  );
});

function decode(escaped: string): string {
  const characters: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };
  return escaped.replace(/&([a-z]+|#39);/g, (whole, name) => characters[name] ?? whole);
}
