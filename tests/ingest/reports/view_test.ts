import { assertEquals } from "@std/assert";
import {
  buildLink,
  formatChange,
  formatCount,
  formatCountOf,
  formatLabel,
  formatOrigin,
  formatPath,
  formatShare,
} from "../../../src/ingest/reports/view.ts";

Deno.test("formatChange() writes a change in percent, and none of few", () => {
  assertEquals([formatChange(60, 40), formatChange(40, 60), formatChange(100, 100)], ["+50%", "-33%", "the same"]);
  assertEquals([formatChange(60, 29), formatChange(29, 60), formatChange(1, 0)], ["", "", ""]);
});

Deno.test("counts and shares are written for people", () => {
  assertEquals([0, 999, 1000, 1_234_567].map(formatCount), ["0", "999", "1,000", "1,234,567"]);
  assertEquals([0, 1, 2000].map((count) => formatCountOf(count, "session")), [
    "0 sessions",
    "1 session",
    "2,000 sessions",
  ]);
  assertEquals(formatShare(0, 100), "0%");
  assertEquals(formatShare(1, 1000), "<1%");
  assertEquals(formatShare(54_321, 100_000), "54%");
  assertEquals(formatShare(120, 100), "120%");
  assertEquals(formatShare(0, 0), "100%");
});

Deno.test("formatPath() decodes what is encoded text, and nothing else", () => {
  assertEquals(formatPath("/caf%C3%A9%20au%20lait"), "/café au lait");
  assertEquals(formatPath("/a%2Fb%3Fc"), "/a%2Fb%3Fc");
  assertEquals(formatPath("/100%"), "/100%");
  assertEquals(formatPath("/%ff"), "/%ff");
});

Deno.test("labels can't pass for others", () => {
  assertEquals(formatPath("/%00%E2%80%AEgpj.exe"), "/\ufffd\ufffdgpj.exe");
  assertEquals(formatLabel("a\u202eb\u2066c"), "a\ufffdb\ufffdc");
  assertEquals(formatLabel("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u2067\u2068\u2069"), "\ufffd".repeat(10));
  assertEquals(formatLabel(" \u200b\u2800"), "(blank)");
  assertEquals(formatLabel(""), "(blank)");
  assertEquals(formatOrigin("https://search.example:8443"), "search.example:8443");
  assertEquals(formatOrigin("http://search.example"), "http://search.example");
});

Deno.test("buildLink() keeps the view, relative to where the reports are", () => {
  const view = { site: "https://shop.example", from: "2026-01-01", to: "2026-01-31" };

  assertEquals(buildLink(view), "?site=https%3A%2F%2Fshop.example&from=2026-01-01&to=2026-01-31");
  assertEquals(
    buildLink(view, { from: "2026-01-30", path: '/a"><b>&c=d' }),
    "?site=https%3A%2F%2Fshop.example&from=2026-01-30&to=2026-01-31&path=%2Fa%22%3E%3Cb%3E%26c%3Dd",
  );
});
