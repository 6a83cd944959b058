import { assertEquals } from "@std/assert";
import { findMedian, shuffle } from "../../scripts/bench/client/statistics.ts";

Deno.test("findMedian() takes the middle value, and the mean of the middle two", () => {
  assertEquals([findMedian([9, 1, 5]), findMedian([4, 1, 3, 100])], [5, 3.5]);
});

Deno.test("findMedian() of nothing is no number", () => {
  assertEquals(findMedian([]), NaN);
});

Deno.test("shuffle() keeps every value, and its input as it is", () => {
  const values = [1, 2, 3, 4, 5];

  const shuffled = shuffle(values);

  assertEquals([shuffled.toSorted(), values], [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]]);
});

Deno.test("shuffle() changes the order now and then", () => {
  const values = Array.from({ length: 50 }, (_, i) => i);

  const orders = new Set(Array.from({ length: 20 }, () => shuffle(values).join()));

  assertEquals(orders.size > 1, true);
});
