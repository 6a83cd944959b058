import { assertEquals, assertThrows } from "@std/assert";
import { DemoFault } from "../../scripts/demo/demo_fault.ts";
import { type DemoOptions, parseOptions } from "../../scripts/demo/options.ts";

const DEFAULTS: DemoOptions = { isOnce: false, isHelp: false, port: 4400, ingestPort: 4401 };

const TAKEN: readonly (readonly [args: string, options: Partial<DemoOptions>])[] = [
  ["", {}],
  ["--port 8080 --ingest-port=8081", { port: 8080, ingestPort: 8081 }],
  ["--once --folder=a=b", { isOnce: true, ingestPort: 0, folder: "a=b" }],
  ["--once", { isOnce: true, ingestPort: 0 }],
  ["--cluster", { cluster: { seconds: 20, isStaying: false } }],
  ["--cluster --seconds=8 --stay", { cluster: { seconds: 8, isStaying: true } }],
];

const REFUSED: readonly (readonly [args: string, message: string])[] = [
  ["--prot 80", "Unknown option '--prot'"],
  ["--once=yes", "Option '--once' does not take an argument"],
  ["--folder=", "--folder needs a path"],
  ["--folder=a", "--folder needs --once"],
  ["--port 65536", '--port must be a whole number from 0 to 65535, not "65536"'],
  ["--stay", "--stay needs --cluster"],
  ["--cluster --port=80", "--port doesn't go with --cluster"],
  ["--cluster --seconds=4", '--seconds must be a whole number from 5 to 600, not "4"'],
];

Deno.test("parseOptions() takes what the usage says, and tells in one line what it doesn't take", () => {
  for (const [args, options] of TAKEN) {
    assertEquals(parseOptions(args.split(" ").filter(Boolean)), { ...DEFAULTS, ...options });
  }
  for (const [args, message] of REFUSED) {
    const { message: found, exitCode } = assertThrows(() => parseOptions(args.split(" ")), DemoFault);
    assertEquals([found, exitCode], [`${message}, see --help`, 2]);
  }
});
