import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { PassThrough } from "node:stream";
import { createFileSink } from "../../../../src/ingest/mod.ts";
import { type McpCommand, parseMcpCommand, runMcpCommand } from "../../../../src/ingest/server/cli/mcp_command.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";
import { buildPageview, SITE } from "../../reports/fixtures.ts";
import { KEY, storeEvents } from "../../reports/report_store.ts";
import { withDirectory } from "../../stores/file/in_thread.ts";

function parse(...args: readonly string[]): McpCommand {
  const command = parseMcpCommand(args, {});
  if (command === "help") throw new Error("help was asked for");
  return command;
}

/** Sends messages, and returns the answers. */
async function exchange(
  command: McpCommand,
  messages: readonly string[],
  note: (text: string) => void = () => {},
): Promise<readonly unknown[]> {
  const input = new PassThrough();
  const lines: string[] = [];
  input.end(messages.join("\n"));
  await runMcpCommand(command, {
    input,
    write: (text) => Promise.resolve(void lines.push(text)),
    note,
    signal: new AbortController().signal,
  });
  return lines.map((line) => JSON.parse(line));
}

const CALL = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "pages", arguments: { site: SITE } } };

Deno.test("runMcpCommand() answers each line of its input with a line, and ends with it", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    await storeEvents(sink, [buildPageview({ timestamp: new Date().toISOString(), pageUrl: `${SITE}/teas` })]);
    await sink.close();

    const answers = await exchange(parse("--key", KEY, "--sink", `file:${path}`), [
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      "",
      JSON.stringify(CALL),
      "nonsense",
    ]) as readonly { readonly result: Record<string, unknown>; readonly error?: { readonly code: number } }[];
    const [start, call, nonsense] = answers;
    const [content] = call?.result["content"] as readonly { readonly text: string }[];

    assertEquals([answers.length, start?.result["protocolVersion"]], [3, "2025-06-18"]);
    assertEquals(JSON.parse(content?.text ?? "").rows[0].path, "/teas");
    assertEquals(nonsense?.error?.code, -32700);
  }));

Deno.test("runMcpCommand() ends with its signal while a view is read", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    await storeEvents(sink, [buildPageview({ timestamp: new Date().toISOString(), pageUrl: `${SITE}/teas` })]);
    await sink.close();
    const [input, controller] = [new PassThrough(), new AbortController()];
    const notes: string[] = [];
    input.write(`${JSON.stringify({ ...CALL, method: "ping" })}\n${JSON.stringify(CALL)}\n`);

    await runMcpCommand(parse("--key", KEY, "--sink", `file:${path}`), {
      input,
      // Of the first message; the second is read by then, and its answer needs a thread, which takes longer to start.
      write: () => Promise.resolve(void setTimeout(() => controller.abort())),
      note: (text) => notes.push(text),
      signal: controller.signal,
    });

    assertEquals(notes, ["a view can't be read: nobody waits for the report any more"]);
  }));

Deno.test("runMcpCommand() ends where nobody reads its answers any more", () =>
  withDirectory(async (directory) => {
    const input = new PassThrough();
    let tries = 0;
    input.write(`${JSON.stringify(CALL)}\n${JSON.stringify(CALL)}\n`);

    await runMcpCommand(parse("--key", KEY, "--sink", `file:${directory}/events`), {
      input,
      write: () => Promise.reject(new Error(`EPIPE ${++tries}`)),
      note: () => {},
      signal: new AbortController().signal,
    });

    assertEquals(tries, 1);
  }));

Deno.test("runMcpCommand() tells an agent and its owner why a folder can't be read", () =>
  withDirectory(async (directory) => {
    const notes: string[] = [];
    const command = parse("--key", KEY, "--sink", `file:${directory}/events`);
    const [answer] = await exchange(command, [JSON.stringify(CALL)], (text) => void notes.push(text));
    const { result } = answer as { readonly result: { readonly content: readonly { readonly text: string }[] } };
    const { error } = JSON.parse(result.content[0]?.text ?? "");

    assertEquals(error.code, "unavailable");
    assertStringIncludes(error.message, `${directory}/events`);
    assertEquals(notes, [`a view can't be read: ${error.message}`]);
  }));

Deno.test("parseMcpCommand() leaves out what single people did, unless it is told otherwise", () => {
  assertEquals(parse("--key", KEY).access, { key: { apiKey: KEY, origins: "any" }, mayReadPeople: false });
  assertEquals(parse("--key", KEY, "--people").access.mayReadPeople, true);
});

Deno.test("parseMcpCommand() says what is wrong", () => {
  const fault = (...args: readonly string[]): string => assertThrows(() => parse(...args), ServerFault).message;

  assertEquals(fault(), "there is no key: name one with --key KEY");
  assertStringIncludes(fault("--key", KEY, "--keys-file", "/nowhere/keys.json"), "/nowhere/keys.json");
});
