import { assertEquals, assertThrows } from "@std/assert";
import { parseDemoCommand } from "../../../../src/ingest/server/cli/demo_command.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";

Deno.test("parseDemoCommand() chooses ports that it names, and takes others from the command line alone", () => {
  assertEquals(parseDemoCommand([], { INGEST_PORT: "1" }), { port: 4400, ingestPort: 4401 });
  assertEquals(parseDemoCommand(["--port=0", "--ingest-port", "8080"], {}), { port: 0, ingestPort: 8080 });
});

Deno.test("parseDemoCommand() says what is wrong", () => {
  const fault = (...args: readonly string[]): string =>
    assertThrows(() => parseDemoCommand(args, {}), ServerFault).message;

  assertEquals(fault("--port", "x"), 'port must be a whole number from 0 to 65535, not "x"');
  assertEquals(fault("--port", "4401"), "the shop and the ingest need a port each");
});
