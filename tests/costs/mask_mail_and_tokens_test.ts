import { assert } from "@std/assert";
import { maskMailAndTokens, type RuledEvent } from "../../src/addons/rules/mod.ts";
import { measureBest, measureBestRatio, timeMs } from "./measure_best.ts";

const EVENT: RuledEvent = { kind: "step", name: "a", url: "https://shop.example/", referrer: "", title: "" };
const UUID = "550e8400-e29b-41d4-a716-446655440000";
const mask = maskMailAndTokens();

/** What makes searching slow: words that fail late, or anew from each of their characters. */
const HOSTILE: readonly string[] = [
  "a",
  "@",
  "a@",
  "a@.",
  "a@b.1",
  "a.",
  "%",
  "%25",
  "%40",
  "a%40",
  "%2525252540",
  "eyJ",
  "eyJ.",
  "a-",
  "a1-",
  "abcdef ",
  "abcde ",
  "550e8400-",
  `${UUID}-`,
  "é",
  "\\",
  '"',
  "\u0000",
  "\n",
];

for (const part of HOSTILE) {
  Deno.test(`maskMailAndTokens() takes no long task for 32 KiB of ${JSON.stringify(part)}`, async () => {
    const title = part.repeat(32_768 / part.length);

    // A pattern that looks back takes seconds.
    const bestMs = await measureBest(10, () => timeMs(() => mask({ ...EVENT, title })));

    assert(bestMs <= 10, `${bestMs} ms`);
  });

  Deno.test(`maskMailAndTokens() takes time in proportion to the length for ${JSON.stringify(part)} in properties`, async () => {
    const measure = (characters: number): number => {
      const event = { ...EVENT, properties: { text: part.repeat(characters / part.length) } };
      return Math.min(...Array.from({ length: 5 }, () => timeMs(() => mask(event))));
    };
    measure(16_384);

    const ratio = await measureBestRatio(30, () => [measure(262_144), measure(32_768)]);

    assert(ratio <= 30, `8 times as much took ${ratio} times as long`); // 64 if it were quadratic
  });
}
