import { assertEquals } from "@std/assert";
import { type Bar, buildChart } from "../../../../src/ingest/reports/page/chart.ts";

const barsOf = (...totals: readonly number[]): readonly Bar[] =>
  totals.map((full) => ({ full, aggregate: 0, figures: [] }));

/** Draws a chart; returns the texts below and beside it. */
function draw(bars: readonly Bar[]): {
  readonly ticks: readonly string[];
  readonly scale: readonly number[];
  readonly markup: string;
} {
  const { markup } = buildChart({ bars, description: "A chart" });
  const texts = [...markup.matchAll(/<text x="([^"]*)" y="[^"]*">([^<]*)<\/text>/g)];
  const scale = texts.filter(([, x = ""]) => !x.endsWith("%")).map(([, , text = ""]) =>
    Number(text.replaceAll(",", ""))
  );
  const placeOf = (x = ""): number => Math.round(parseFloat(x) * bars.length / 100);
  const ticks = texts.filter(([, x = ""]) => x.endsWith("%")).map(([, x, text]) => `${text} at ${placeOf(x)}`);
  return { ticks, scale, markup };
}

Deno.test("buildChart() has at most five lines above the base, at round numbers, and ends at its highest bar", () => {
  const linesOf = (total: number): readonly number[] => draw(barsOf(total, total)).scale;

  assertEquals([0, 1, 5, 6].map(linesOf), [[0, 1], [0, 1], [0, 1, 2, 3, 4, 5], [0, 2, 4, 6]]);
  assertEquals([99, 101].map(linesOf), [[0, 20, 40, 60, 80], [0, 20, 40, 60, 80, 100]]);
  assertEquals([4708, 999_999].map(linesOf), [[0, 1000, 2000, 3000, 4000], [0, 200_000, 400_000, 600_000, 800_000]]);
  const bars = /class="full" d="M0.12 (\d+)v-(\d+)/.exec(draw(barsOf(4708, 1)).markup);
  assertEquals(bars?.slice(1), ["220", "220"]);
});

Deno.test("buildChart() draws the period before as a line, as far as there is one", () => {
  const lineOf = (...before: readonly (number | undefined)[]): string | undefined => {
    const bars = before.map((value) => ({
      full: 10,
      aggregate: 0,
      figures: [],
      ...(value !== undefined && { before: value }),
    }));
    return /class="before" d="([^"]*)"/.exec(draw(bars).markup)?.[1];
  };

  assertEquals(lineOf(0, 20, undefined), "M0.5 220L1.5 0");
  assertEquals([lineOf(0, 0), lineOf(5), lineOf(undefined)], [undefined, undefined, undefined]);
});

Deno.test("buildChart() names as many bars as fit", () => {
  const named = (count: number): readonly string[] =>
    draw(Array.from({ length: count }, (_, index) => ({ full: 1, aggregate: 0, figures: [], tick: `${index}.` })))
      .ticks;

  assertEquals(named(3), ["0. at 0", "1. at 1", "2. at 2"]);
  assertEquals(named(12), ["0. at 0", "3. at 3", "6. at 6", "9. at 9"]);
});

Deno.test("buildChart() draws nothing of nothing", () => {
  assertEquals(buildChart({ bars: [], description: "" }).markup, "");
});
