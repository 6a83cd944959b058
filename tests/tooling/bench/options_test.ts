import { assertEquals, assertThrows } from "@std/assert";
import { parseOptions } from "../../../scripts/bench/client/options.ts";

Deno.test("the benchmark measures everything, several times, unless told otherwise", () => {
  assertEquals(parseOptions([]), {
    only: [],
    rows: [],
    rounds: 5,
    before: "342f149",
    isRanged: false,
    isHelp: false,
  });
});

Deno.test("the benchmark takes names, rounds and a commit", () => {
  const options = parseOptions([
    "--only=ours, floor",
    "--rows",
    "cold",
    "--rounds",
    "9",
    "--before=v0.1.0",
    "--ranges",
  ]);

  assertEquals(options, {
    only: ["ours", "floor"],
    rows: ["cold"],
    rounds: 9,
    before: "v0.1.0",
    isRanged: true,
    isHelp: false,
  });
});

Deno.test("the benchmark measures once with --quick", () => {
  assertEquals(parseOptions(["--quick"]).rounds, 1);
});

Deno.test("the benchmark refuses what it doesn't know", () => {
  assertThrows(() => parseOptions(["--slow"]), TypeError, "--slow");
  assertThrows(() => parseOptions(["--rounds", "many"]), Error, "many");
});
