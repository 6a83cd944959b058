import { assertEquals } from "@std/assert";
import { buildChart } from "../../../src/ingest/reports/chart.ts";
import { listDays } from "../../../src/ingest/reports/days.ts";

/** Draws a chart of days that have as many pageviews each; returns the texts below and beside it. */
function draw(
  from: string,
  to: string,
  total = 0,
): { readonly ticks: readonly string[]; readonly scale: readonly number[]; readonly markup: string } {
  const days = listDays(from, to).map((day) => ({ day, full: total, aggregate: 0, total, sessions: 0 }));
  const { markup } = buildChart(days);
  const texts = [...markup.matchAll(/<text x="([^"]*)" y="[^"]*">([^<]*)<\/text>/g)];
  const scale = texts.filter(([, x = ""]) => !x.endsWith("%")).map(([, , text = ""]) =>
    Number(text.replaceAll(",", ""))
  );
  const ticks = texts.filter(([, x = ""]) => x.endsWith("%"));
  const dayOf = (x = ""): number => Math.round(parseFloat(x) * days.length / 100);
  return { ticks: ticks.map(([, x, text]) => `${text} at ${dayOf(x)}`), scale, markup };
}

Deno.test("buildChart() has at most five lines above the base, at round numbers, and ends at its highest bar", () => {
  const linesOf = (total: number): readonly number[] => draw("2026-01-01", "2026-01-02", total).scale;

  assertEquals([0, 1, 5, 6].map(linesOf), [[0, 1], [0, 1], [0, 1, 2, 3, 4, 5], [0, 2, 4, 6]]);
  assertEquals([99, 101].map(linesOf), [[0, 20, 40, 60, 80], [0, 20, 40, 60, 80, 100]]);
  assertEquals([4708, 999_999].map(linesOf), [[0, 1000, 2000, 3000, 4000], [0, 200_000, 400_000, 600_000, 800_000]]);
  const bars = /class="full" d="M0.12 (\d+)v-(\d+)/.exec(draw("2026-01-01", "2026-01-02", 4708).markup);
  assertEquals(bars?.slice(1), ["220", "220"]);
});

Deno.test("buildChart() names days of a short range, Mondays of a longer one, and months of a long one", () => {
  assertEquals(draw("2026-02-27", "2026-03-01").ticks, ["27 Feb at 0", "28 Feb at 1", "1 Mar at 2"]);
  assertEquals(draw("2026-01-01", "2026-01-31").ticks, [
    "5 Jan at 4",
    "12 Jan at 11",
    "19 Jan at 18",
    "26 Jan at 25",
  ]);
  assertEquals(draw("2025-11-21", "2026-11-20").ticks, ["Dec at 10", "Mar at 100", "Jun at 192", "Sep at 284"]);
});
