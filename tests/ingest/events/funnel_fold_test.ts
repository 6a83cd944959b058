import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { createFunnelFold, type FunnelPoint } from "../../../src/ingest/events/funnel_fold.ts";

type Rules = Parameters<typeof createFunnelFold>[0];

/** Visitors of each stage, and the medians. */
type Counts = ReturnType<ReturnType<typeof createFunnelFold>["finish"]>;

/** Reads points such as `1a 5ab 7.`: the time, and the stages that the event passes, `a` the first, `.` for none. */
function read(text: string): readonly FunnelPoint[] {
  return text.split(" ").filter((point) => point !== "").map((point) => ({
    time: parseInt(point, 10),
    stages: [..."abcdefgh"].reduce(
      (stages, letter, stage) => point.includes(letter) ? stages | (1 << stage) : stages,
      0,
    ),
  }));
}

/** Counts lists of points, each of a visitor of its own. */
function count(lists: readonly string[], rules: Partial<Rules> = {}): readonly (readonly [number, number | null])[] {
  const fold = createFunnelFold({ stages: 3, withinMs: Infinity, order: "sequential", ...rules });
  lists.forEach((points, visitor) => fold.add(visitor, read(points)));
  return fold.finish().map(({ visitors, medianMs }) => [visitors, medianMs]);
}

Deno.test("createFunnelFold() counts nobody without points", () => {
  assertEquals(count([]), [[0, null], [0, null], [0, null]]);
  assertEquals(count(["", "1b 2c", "1."]), [[0, null], [0, null], [0, null]]);
});

Deno.test("createFunnelFold() takes the stages in their order, with anything between", () => {
  assertEquals(count(["1a 3b 7c"]), [[1, null], [1, 2], [1, 4]]);
  assertEquals(count(["1a 2. 3b 4a 5b 7c"]), [[1, null], [1, 2], [1, 4]]);
  assertEquals(count(["1a 3c 7b"]), [[1, null], [1, 6], [0, null]]);
  assertEquals(count(["1b 3a 7c"]), [[1, null], [0, null], [0, null]]);
});

Deno.test("createFunnelFold() takes an event for one stage of a way", () => {
  assertEquals(count(["1abc"]), [[1, null], [0, null], [0, null]]);
  assertEquals(count(["1abc 4abc"]), [[1, null], [1, 3], [0, null]]);
  assertEquals(count(["1abc 4abc 9abc"]), [[1, null], [1, 3], [1, 5]]);
  assertEquals(count(["1abc 4abc 9abc"], { order: "strict" }), [[1, null], [1, 3], [1, 5]]);
  assertEquals(count(["1abc 4abc 9abc"], { order: "flexible" }), [[1, null], [1, 3], [1, 5]]);
});

Deno.test("createFunnelFold() takes events of the same time in the order in which they come", () => {
  assertEquals(count(["1a 1b 1c"]), [[1, null], [1, 0], [1, 0]]);
  assertEquals(count(["1b 1a 1c"]), [[1, null], [0, null], [0, null]]);
});

Deno.test("createFunnelFold() lets nothing stand between stages in the strict order", () => {
  assertEquals(count(["1a 3b 7c"], { order: "strict" }), [[1, null], [1, 2], [1, 4]]);
  assertEquals(count(["1a 2. 3b 7c"], { order: "strict" }), [[1, null], [0, null], [0, null]]);
  assertEquals(count(["1a 2a 3b 6b 7c"], { order: "strict" }), [[1, null], [1, 1], [0, null]]);
  // Another try.
  assertEquals(count(["1a 2. 3a 5b 9c"], { order: "strict" }), [[1, null], [1, 2], [1, 4]]);
});

Deno.test("createFunnelFold() takes middle stages in any order where that is flexible, and the last at the end", () => {
  const rules = { stages: 4, order: "flexible" } as const;

  assertEquals(count(["1a 2c 5b 9d"], rules), [[1, null], [1, 4], [1, 0], [1, 4]]);
  assertEquals(count(["1a 2b 5c 9d"], rules), [[1, null], [1, 1], [1, 3], [1, 4]]);
  // The last came too soon, and a middle one is missing.
  assertEquals(count(["1a 2c 3d 5b"], rules), [[1, null], [1, 4], [1, 0], [0, null]]);
  assertEquals(count(["1a 2c 3d"], rules), [[1, null], [0, null], [0, null], [0, null]]);
  assertEquals(count(["1c 2a 3b 4d"], rules), [[1, null], [1, 1], [0, null], [0, null]]);
  // An event passes the first stage of those that it can and that isn't passed yet.
  assertEquals(count(["1a 2bc 5b 9d"], rules), [[1, null], [1, 1], [0, null], [0, null]]);
  assertEquals(count(["1a 2bc 5bc 9d"], rules), [[1, null], [1, 1], [1, 3], [1, 4]]);
  assertEquals(count(["1a 3b"], { stages: 2, order: "flexible" }), [[1, null], [1, 2]]);
});

Deno.test("createFunnelFold() ends a way so many milliseconds after its first event, that one included", () => {
  for (const order of ["sequential", "strict", "flexible"] as const) {
    assertEquals(count(["1a 6b 11c"], { order, withinMs: 10 }), [[1, null], [1, 5], [1, 5]]);
    assertEquals(count(["1a 6b 12c"], { order, withinMs: 10 }), [[1, null], [1, 5], [0, null]]);
    assertEquals(count(["1a 1b 2c"], { order, withinMs: 0 }), [[1, null], [1, 0], [0, null]]);
  }
});

Deno.test("createFunnelFold() takes the longest of a visitor's ways, and the first among equals", () => {
  assertEquals(count(["1a 3b 20a 21b 24c"], { withinMs: 10 }), [[1, null], [1, 1], [1, 3]]);
  assertEquals(count(["1a 3b 20a 21b"], { withinMs: 10 }), [[1, null], [1, 2], [0, null]]);
  // The first way is over at 12; the second reaches as far at once, the third further.
  assertEquals(count(["1a 5a 8b 9a 16b 17c"], { withinMs: 10 }), [[1, null], [1, 7], [1, 1]]);
});

Deno.test("createFunnelFold() counts a visitor of several calls once, by the best way of all of them, in whatever order they come", () => {
  const sessions = ["10a 13b", "20a 21b 29c", "30a 34b 35c", "20a 22b 23c", "40a"].map(read);
  const add = (lists: readonly (readonly FunnelPoint[])[]): Counts => {
    const fold = createFunnelFold({ stages: 3, withinMs: Infinity, order: "sequential" });
    for (const points of lists) fold.add("v-1", points);
    return fold.finish();
  };
  const expected = [{ visitors: 1, medianMs: null }, { visitors: 1, medianMs: 1 }, { visitors: 1, medianMs: 8 }];

  assertEquals(add(sessions), expected);
  assertEquals(add(sessions.toReversed()), expected);
});

Deno.test("createFunnelFold() has the median by nearest rank of those who came that far", () => {
  const visitors = ["1a 2b", "1a 4b 10c", "1a 11b 12c", "1a"];

  assertEquals(count(visitors), [[4, null], [3, 3], [2, 1]]);
  assertEquals(count([...visitors, "1a 10001b"]), [[5, null], [4, 3], [2, 1]]);
});

Deno.test("createFunnelFold() counts a made-up visitor with 1,000,000 events like anybody", () => {
  const points = Array.from({ length: 1_000_000 }, (_, time) => ({ time, stages: time === 999_999 ? 0b100 : 0b011 }));
  const fold = (order: Rules["order"], withinMs: number): Counts => {
    const { add, finish } = createFunnelFold({ stages: 4, withinMs, order });
    add("v-1", points);
    return finish();
  };
  const medians = (counts: Counts): unknown => counts.map(({ medianMs }) => medianMs);

  // Half a million ways are going on at any time: one after another, they would take hours.
  assertEquals(medians(fold("sequential", 500_000)), [null, 1, 499_999, null]);
  assertEquals(medians(fold("flexible", 500_000)), [null, 1, 499_999, null]);
  assertEquals(medians(fold("strict", 500_000)), [null, 1, 1, null]);
});

const someRules: fc.Arbitrary<Rules> = fc.record({
  stages: fc.constantFrom(2, 3, 3, 4, 5, 8),
  withinMs: fc.constantFrom(Infinity, 0, 1, 5, 10, 20),
  order: fc.constantFrom("sequential", "strict", "flexible"),
});

function pointsOf(stages: number): fc.Arbitrary<readonly FunnelPoint[]> {
  const aPoint = fc.record({
    afterMs: fc.constantFrom(0, 0, 1, 1, 2, 5),
    passed: fc.array(fc.nat({ max: stages - 1 }), { maxLength: 3 }),
  });
  return fc.array(aPoint, { maxLength: 24, size: "max" }).map((parts) => {
    let time = 0;
    return parts.map(({ afterMs, passed }) => {
      time += afterMs;
      return { time, stages: passed.reduce((bits, stage) => bits | (1 << stage), 0) };
    });
  });
}

/** A funnel, and what visitors did, by visitor and call. */
const aCase = someRules.chain((rules) =>
  fc.record({
    rules: fc.constant(rules),
    visitors: fc.array(fc.array(pointsOf(rules.stages), { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 4,
    }),
  })
);

Deno.test("createFunnelFold() counts any points as one way after another does", () => {
  let full = 0;
  fc.assert(
    fc.property(aCase, ({ rules, visitors }) => {
      const fold = createFunnelFold(rules);
      visitors.forEach((calls, visitor) => calls.forEach((points) => fold.add(visitor, points)));

      const counts = fold.finish();

      assertEquals(counts, countPlainly(visitors, rules));
      full += counts.at(-1)?.visitors ?? 0;
    }),
    { numRuns: 2_000 },
  );
  assertEquals(full > 500, true, `${full}`);
});

/** Counts by the definition: every way by itself, event by event. */
function countPlainly(visitors: readonly (readonly (readonly FunnelPoint[])[])[], rules: Rules): Counts {
  const best = visitors.map((calls) => {
    const ways = calls.flatMap((points) =>
      points.flatMap((point, start) => point.stages % 2 === 1 ? [walk(points.slice(start), rules)] : [])
    );
    const longest = Math.max(0, ...ways.map((way) => way.length));
    return ways.filter((way) => way.length === longest).sort(compare)[0] ?? [];
  });
  return Array.from({ length: rules.stages }, (_, stage) => {
    const waits = best.filter((way) => way.length > stage).map((way) => (way[stage] ?? 0) - (way[stage - 1] ?? 0))
      .sort((one, other) => one - other);
    return {
      visitors: waits.length,
      medianMs: stage === 0 ? null : waits[Math.ceil(waits.length / 2) - 1] ?? null,
    };
  });
}

function compare(one: readonly number[], other: readonly number[]): number {
  return one.map((time, stage) => time - (other[stage] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** Returns when the stages are passed by the way that starts with the first of the points. */
function walk([first, ...rest]: readonly FunnelPoint[], { stages, withinMs, order }: Rules): readonly number[] {
  const passed = [first?.time];
  for (const { time, stages: bits } of rest.filter((point) => point.time <= (first?.time ?? 0) + withinMs)) {
    const can = Array.from({ length: stages }, (_, stage) => stage)
      .filter((stage) => Math.floor(bits / 2 ** stage) % 2 === 1 && passed[stage] === undefined);
    const isLastAlone = Object.keys(passed).length === stages - 1;
    const next = order === "flexible"
      ? can.find((stage) => stage < stages - 1 || isLastAlone)
      : can.find((stage) => stage === passed.length);
    if (next !== undefined) passed[next] = time;
    else if (order === "strict") break;
  }
  const way: number[] = [];
  for (let stage = 0; passed[stage] !== undefined; stage++) {
    way.push(Math.max(...passed.slice(0, stage + 1).map((time) => time ?? 0)));
  }
  return way;
}
