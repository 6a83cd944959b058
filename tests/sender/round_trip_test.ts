import { assertEquals } from "@std/assert";
import { createIngest } from "../../src/ingest/mod.ts";
import { bundle } from "../../scripts/support/bundle.ts";
import { runProcess } from "../../scripts/support/process.ts";
import { createFileData, createFileSink, withDirectory } from "../ingest/stores/file/in_thread.ts";
import { SECRET } from "./script.ts";

const KEY = "pk_test_1";

const LIMIT_MS = 20_000;

/** Sends a step of its own and one that each runtime sends, and ends when nothing keeps the process alive. */
function buildProgram(runtime: string, endpoint: string): string {
  return `${bundle({ entry: "src/sender/mod.ts", format: "esm", minify: false })}
    const { step, close } = createSender(${JSON.stringify({ apiKey: KEY, secret: SECRET, endpoint })});
    step({ userId: "ada", name: "of ${runtime}" });
    step({ userId: "ada", name: "once", dedupeId: "order-17" });
    console.log(await close());`;
}

Deno.test("steps of Node and Deno come to a folder, each once, and are found under their user", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    const keys = [{ apiKey: KEY, origins: ["https://shop.example"], sendingSecrets: { billing: SECRET } }];
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, createIngest({ keys, sink }));
    const endpoint = `http://127.0.0.1:${server.addr.port}/v1/events`;
    const run = async (runtime: string, command: string, ...args: readonly string[]) => {
      const program = `${directory}/${runtime}.mjs`;
      await Deno.writeTextFile(program, buildProgram(runtime, endpoint));
      const options = { args: [...args, program], env: { NO_COLOR: "1" }, isQuiet: true, timeoutMs: LIMIT_MS };
      return (await runProcess(command, options)).output;
    };

    const outputs = [
      await run("Node", "node"),
      await run("Deno", Deno.execPath(), "run", "--no-prompt", "--no-config", "--allow-net=127.0.0.1"),
    ];
    await server.shutdown();
    await sink.close();
    const data = createFileData({ path });
    const found = await data.find({ apiKey: KEY, userId: "ada" });
    const events = await Array.fromAsync(data.export({ apiKey: KEY, userId: "ada" }));
    await data.close();

    assertEquals(outputs, ["stored\n", "stored\n"]);
    assertEquals(events.map(({ name }) => name), ["of Node", "once", "of Deno"]);
    assertEquals([found.events, found.sessions, found.anonymousIds], [3, 0, []]);
  }));
