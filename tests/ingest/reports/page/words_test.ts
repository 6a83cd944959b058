import { assertEquals } from "@std/assert";
import {
  createAmountFormat,
  formatChange,
  formatCount,
  formatCountOf,
  formatDuration,
  formatFineRatio,
  formatLabel,
  formatNumber,
  formatOrigin,
  formatPath,
  formatRatio,
  formatShare,
} from "../../../../src/ingest/reports/page/words.ts";

Deno.test("formatChange() writes a change in percent, and none of few", () => {
  assertEquals([formatChange(60, 40), formatChange(40, 60), formatChange(100, 100)], ["+50%", "-33%", "the same"]);
  assertEquals([formatChange(1004, 1000), formatChange(1000, 1004)], ["+<1%", "-<1%"]);
  assertEquals([formatChange(40, 10_000), formatChange(1999, 1000)], ["-99%", "+100%"]);
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
  assertEquals([formatShare(997, 1000), formatShare(1000, 1000), formatShare(1001, 1000)], [">99%", "100%", ">100%"]);
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

Deno.test("times and numbers are written for people", () => {
  assertEquals([0, 59_499, 59_500, 200_000, 3_900_000, null].map(formatDuration), [
    "0\u00a0s",
    "59\u00a0s",
    "1\u00a0min 0\u00a0s",
    "3\u00a0min 20\u00a0s",
    "1\u00a0h 5\u00a0min",
    "–",
  ]);
  assertEquals([1, 1.8, 1 / 3, 12_345.678, -1234.5, -123, -0.5, 1e21, null].map(formatNumber), [
    ...["1", "1.8", "0.33", "12,345.68", "-1,234.5", "-123", "-0.5", "1e+21", "–"],
  ]);
  assertEquals([0.614, 0, 0.001, 0.997, null].map(formatRatio), ["61%", "0%", "<1%", ">99%", "–"]);
  assertEquals([1, 0.996, 0.0996, 0.0994, 34 / 755, 0.0004, 0, null].map(formatFineRatio), [
    ...["100%", ">99%", "10%", "9.9%", "4.5%", "<0.1%", "0%", "–"],
  ]);
  const amounts = [7049.27, 6261.8, 6261, 12_000_000.5, -0.1, 0.001, 1e21, null];
  assertEquals(amounts.map(createAmountFormat(amounts)), [
    ...["7,049.27", "6,261.80", "6,261.00", "12,000,000.50", "-0.10", "0.00", "1e+21", "–"],
  ]);
  assertEquals([6261, -3, 0.001, 1.5e21, null].map(createAmountFormat([6261, 0.001, 1.5e21, null])), [
    ...["6,261", "-3", "0", "1.5e+21", "–"],
  ]);
});
