import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { addRules, type Rule, type RuledEvent, sampleVisitors } from "../../../src/addons/rules/mod.ts";
import { createClient } from "../../../src/client/mod.ts";
import { createTestBrowser } from "../../../src/testing/mod.ts";

const STEP: RuledEvent = { kind: "step", name: "a", url: "https://shop.example/", referrer: "", title: "" };
const AGGREGATE: RuledEvent = { ...STEP, kind: "aggregate", name: "$pageview" };
/** IDs with a common beginning, which a weak hash wouldn't tell apart. */
const VISITORS = Array.from(
  { length: 20_000 },
  (_, i) => `550e8400-e29b-41d4-a716-${i.toString(16).padStart(12, "0")}`,
);

function keptBy(rule: Rule): readonly string[] {
  return VISITORS.filter((visitor) => rule(STEP, visitor) !== null);
}

for (const rate of [0, 0.01, 0.1, 0.5, 1]) {
  Deno.test(`sampleVisitors(${rate}) keeps that part of the visitors, the same ones each time`, () => {
    const kept = keptBy(sampleVisitors(rate));
    const part = kept.length / VISITORS.length;

    // Five standard deviations.
    const isNear = Math.abs(part - rate) <= 5 * Math.sqrt(rate * (1 - rate) / VISITORS.length);
    assertEquals([isNear, keptBy(sampleVisitors(rate))], [true, kept], `${part}`);
  });
}

Deno.test("sampleVisitors() keeps at a higher rate whom it keeps at a lower one", () => {
  const more = new Set(keptBy(sampleVisitors(0.2)));

  assertEquals(keptBy(sampleVisitors(0.1)).filter((visitor) => !more.has(visitor)), []);
});

Deno.test("sampleVisitors() keeps aggregates by chance at the same rate", () => {
  const values = [0, 0.0999, 0.1, 0.9999];
  const random = stub(Math, "random", () => values.shift() ?? NaN);
  try {
    const rule = sampleVisitors(0.1);

    assertEquals([1, 2, 3, 4].map(() => rule(AGGREGATE) !== null), [true, true, false, false]);
  } finally {
    random.restore();
  }
});

Deno.test("sampleVisitors() gives all events of a visitor the same answer, in the next visit too", async () => {
  const outcomes = new Set<string>();
  for (let seed = 1; seed <= 12; seed++) {
    let made = 0;
    const ids = (): string => `550e8400-e29b-41d4-a716-${`${seed}`.padStart(6, "0")}${`${++made}`.padStart(6, "0")}`;
    const browser = createTestBrowser({ ids });
    const arrived: number[] = [];
    for (let visit = 0; visit < 2; visit++) {
      const page = browser.open("https://shop.example/");
      const client = createClient({ apiKey: "pk_test" }, page.environment);
      addRules(client, sampleVisitors(0.5));
      for (const name of ["a", "b", "c"]) client.step(name);
      await browser.advance(10_000);
      arrived.push(page.events.length);
      client.close();
    }
    outcomes.add(arrived.join());
  }

  assertEquals([...outcomes].sort(), ["0,0", "3,3"]);
});

for (const rate of [-0.1, 1.1, NaN, "0.5" as unknown as number]) {
  Deno.test(`sampleVisitors(${rate}) of ${typeof rate} keeps all, with a warning`, () => {
    const warnings: string[] = [];
    const warn = stub(console, "warn", (message) => void warnings.push(message));
    try {
      const rule = sampleVisitors(rate);
      assertEquals([keptBy(rule).length, rule(AGGREGATE)], [VISITORS.length, AGGREGATE]);
    } finally {
      warn.restore();
    }
    assertEquals(warnings, ["[Vendor] sampleVisitors() takes a rate from 0 to 1: all visitors are kept"]);
  });
}
