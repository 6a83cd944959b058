import { assertEquals, assertThrows } from "@std/assert";
import { parseFaultArgs } from "../../scripts/checks/faults/args.ts";

Deno.test("parseFaultArgs() runs the long form in every engine, all of it, from a seed of its own", () => {
  const args = parseFaultArgs([]);

  assertEquals(args.engines, ["chromium", "firefox", "webkit"]);
  assertEquals(args.suites, ["scenarios", "measures"]);
  assertEquals(args.env, { FAULT_FORM: "long", FAULT_SEED: args.seed });
  assertEquals(/^\d+$/.test(args.seed), true);
  assertEquals(args.denoArgs, []);
});

Deno.test("parseFaultArgs() takes the form, the engine, the part, the seed and the rounds from the command line", () => {
  const args = parseFaultArgs([
    "--short",
    "--engine=webkit",
    "--suite=measures",
    "--seed=7",
    "--rounds=2",
    "--no-check",
    "--filter=3b",
  ]);

  assertEquals(args.engines, ["webkit"]);
  assertEquals(args.suites, ["measures"]);
  assertEquals(args.env, { FAULT_FORM: "short", FAULT_SEED: "7", FAULT_ROUNDS: "2" });
  assertEquals(args.denoArgs, ["--no-check", "--filter=3b"]);
});

Deno.test("parseFaultArgs() refuses an engine or a part that is none", () => {
  assertThrows(() => parseFaultArgs(["--engine=opera"]), Error, "--engine is one of");
  assertThrows(() => parseFaultArgs(["--suite=measure"]), Error, "--suite is one of scenarios, measures");
});
