import { assertEquals } from "@std/assert";
import { buildChart } from "../../../src/ingest/reports/chart.ts";
import { listDays } from "../../../src/ingest/reports/days.ts";

/** Draws a chart of days that have as many pageviews each; returns the texts below and beside it. */
function draw(from: string, to: string, total = 0): { readonly ticks: readonly string[]; readonly top: number } {
  const days = listDays(from, to).map((day) => ({ day, full: total, aggregate: 0, total, sessions: 0 }));
  const texts = [...buildChart(days).markup.matchAll(/<text x="([^"]*)" y="[^"]*">([^<]*)<\/text>/g)];
  const scale = texts.filter(([, x = ""]) => !x.endsWith("%")).map(([, , text = ""]) =>
    Number(text.replaceAll(",", ""))
  );
  const ticks = texts.filter(([, x = ""]) => x.endsWith("%"));
  const dayOf = (x = ""): number => Math.round(parseFloat(x) * days.length / 100);
  return { ticks: ticks.map(([, x, text]) => `${text} at ${dayOf(x)}`), top: Math.max(...scale) };
}

Deno.test("buildChart() ends its scale at a number that is round, high enough and divides by four", () => {
  const topOf = (total: number): number => draw("2026-01-01", "2026-01-02", total).top;

  assertEquals([0, 1, 4, 5, 8, 9, 10, 11, 21].map(topOf), [4, 4, 4, 8, 8, 12, 12, 20, 40]);
  assertEquals([99, 100, 101, 4708, 10_001, 999_999].map(topOf), [100, 100, 200, 6000, 20_000, 1_000_000]);
});

Deno.test("buildChart() names days of a short range and months of a long one", () => {
  assertEquals(draw("2026-02-27", "2026-03-01").ticks, ["27 Feb at 0", "28 Feb at 1", "1 Mar at 2"]);
  assertEquals(draw("2026-01-01", "2026-01-31").ticks, [
    "1 Jan at 0",
    "8 Jan at 7",
    "15 Jan at 14",
    "22 Jan at 21",
    "29 Jan at 28",
  ]);
  assertEquals(draw("2025-11-21", "2026-11-20").ticks, ["Dec at 10", "Mar at 100", "Jun at 192", "Sep at 284"]);
});
