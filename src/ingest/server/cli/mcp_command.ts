import { createInterface } from "node:readline";
import { describeError } from "../../platform/describe_error.ts";
import type { ReportReader } from "../../ports/reader.ts";
import type { ReportAccess } from "../../reports/access/authenticator.ts";
import { toUnavailable } from "../../reports/answers.ts";
import { answerText } from "../../reports/mcp/messages.ts";
import { createTools } from "../../reports/mcp/tools.ts";
import { readViewJson } from "../../reports/view_json.ts";
import { ServerFault } from "../ops/server_fault.ts";
import type { Variables } from "./clean_value.ts";
import { OF_STORE, readPlace, type StorePlace } from "./store_place.ts";
import { type Command, readFlags } from "./flags.ts";
import { OF_KEY, openReader, readKeySettings } from "./report_place.ts";
import { SWITCH } from "./shared_flags.ts";

const COMMAND = {
  name: "mcp",
  usage: `Usage: vendor-ingest mcp --key KEY [options]

Answers an agent that starts it, by the Model Context Protocol over its input and output: a tool for each view of the
reports. It only reads. A running ingest answers the same at its path /mcp.`,
  flags: {
    ...OF_STORE,
    ...OF_KEY,
    people: { ...SWITCH, help: "also what single people did, the tool person" },
  },
  notes: "Each --some-name can be the variable INGEST_SOME_NAME.",
} satisfies Command;

/** `mcp`. */
export const MCP: Command = COMMAND;

/** The parsed command. */
export interface McpCommand {
  /** Where the events are. */
  readonly place: StorePlace;
  /** The rights of the reader. */
  readonly access: ReportAccess;
}

/**
 * Reads the arguments of the command.
 *
 * @throws {ServerFault} With what is wrong.
 */
export function parseMcpCommand(args: readonly string[], variables: Variables): McpCommand | "help" {
  const given = readFlags(COMMAND, { args, variables });
  if (typeof given === "string") return "help";
  const { people: mayReadPeople = false, ...values } = given.values;
  const { apiKey, key } = readKeySettings(values);
  return { place: readPlace(values), access: { key: { origins: "any", ...key, apiKey }, mayReadPeople } };
}

/** Where messages come from and go. */
export interface McpStreams {
  /** Messages, a line each. */
  readonly input: NodeJS.ReadableStream;
  /** Writes an answer; rejects once nobody reads it any more. */
  readonly write: (text: string) => Promise<void>;
  /** Hears why a view, or a file, couldn't be read. */
  readonly note: (text: string) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/**
 * Answers messages, one after the other, until the input ends, or nobody reads the answers any more.
 *
 * @throws {ServerFault} When the store can't be opened.
 */
export async function runMcpCommand({ place, access }: McpCommand, streams: McpStreams): Promise<void> {
  const { input, write, note, signal } = streams;
  const reader: ReportReader = await openReader(place, { onError: ({ message }) => note(message) }).catch((cause) => {
    throw new ServerFault(describeError(cause), { cause });
  });
  const tools = createTools({
    access,
    read: (parameters) => readViewJson({ reader: reader.until?.(signal) ?? reader, now: Date.now }, parameters, access),
    fail: (error) => {
      note(`a view can't be read: ${describeError(error)}`);
      return toUnavailable(error);
    },
  });
  const lines = createInterface({ input, signal });
  try {
    for await (const line of lines) {
      if (line.trim() === "") continue;
      const reply = await answerText(line, tools);
      if (reply === undefined) continue;
      const isRead = await write(`${JSON.stringify(reply.message)}\n`).then(() => true, () => false);
      if (!isRead) return;
    }
  } finally {
    lines.close();
    await reader.close();
  }
}
