import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { buildUsage, readFlags } from "../../../../src/ingest/server/cli/flags.ts";
import { COMMANDS } from "../../../../src/ingest/server/cli/run.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";

Deno.test("each help text names every flag of its command, the default, and the actions that take it", () => {
  for (const command of COMMANDS) {
    const usage = buildUsage(command);
    for (const [name, { default: preset, actions = [] }] of Object.entries(command.flags)) {
      const line = usage.split("\n").find((text) => text.trim().split(" ")[0] === `--${name}`) ?? "";
      assertStringIncludes(line, ` ${preset === undefined ? "" : `(default ${preset})`}`, name);
      assertStringIncludes(line, actions.join(", "), name);
    }
    assertEquals(usage.split("\n").filter((line) => line.length > 120), []);
  }
});

Deno.test("the first help text names every action of a command", () => {
  const actionsOf = (name: string): string => {
    const usage = COMMANDS.find((command) => command.name === name)?.usage ?? "";
    return [...new Set(Array.from(usage.matchAll(/vendor-ingest \w+ (\w+) /g), ([, action]) => action))].join("|");
  };
  const first = COMMANDS.find(({ name }) => name === "")?.usage ?? "";

  assertEquals(actionsOf("data"), "find|export|erase|prune");
  assertStringIncludes(first, ` data ${actionsOf("data")},`);
  assertStringIncludes(first, ` keys ${actionsOf("keys")},`);
});

Deno.test("each command says what its help is, and where the flags are that it has", () => {
  for (const command of COMMANDS) {
    const read = (...args: string[]) => readFlags(command, { args, variables: { INGEST_HELP: "1" } });
    const fault = {
      backup: "Unknown option '--no-such', see backup --help",
      data: "Unknown option '--no-such', see data --help",
      keys: "Unknown option '--no-such', see keys --help",
      note: "Unknown option '--no-such', see note --help",
      sql: "Unknown option '--no-such', see sql --help",
    }[command.name] ?? "Unknown option '--no-such', see --help";

    assertEquals([read("--help"), read("-h")], ["help", "help"]);
    assertEquals(assertThrows(() => read("--no-such"), ServerFault).message, fault);
  }
});
