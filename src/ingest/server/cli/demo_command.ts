import type { FeedRow } from "../demo/feed_row.ts";
import { formatRow, ROW_HEADER } from "../demo/format_row.ts";
import { REGULARS } from "../demo/made_up_year.ts";
import { type DemoOptions, startDemo } from "../demo/run_demo.ts";
import type { ShopFiles } from "../demo/shop_files.ts";
import { ServerFault } from "../ops/server_fault.ts";
import type { Variables } from "./clean_value.ts";
import { type Command, readFlags } from "./flags.ts";
import { openSink } from "./open_sink.ts";
import { PORT } from "./shared_flags.ts";

const COMMAND = {
  name: "demo",
  usage: `Usage: vendor-ingest demo [options]

Shows what it does, on this machine alone: a shop that asks for consent, and the reports of a year that is made up, with
what you do in the shop. Nothing of it is kept.`,
  flags: {
    port: { ...PORT, isCommandLineOnly: true, default: "4400", help: "port of the shop; 0 for any free one" },
    "ingest-port": {
      ...PORT,
      isCommandLineOnly: true,
      default: "4401",
      help: "port of the ingest and its reports; 0 for any free one",
    },
  },
  notes: "",
} satisfies Command;

/** `demo`. */
export const DEMO: Command = COMMAND;

/** Settings of `demo`. */
export type DemoCommand = Pick<DemoOptions, "port" | "ingestPort">;

/** Visits a day: a year of some 46,000 events is stored in a few seconds. */
const VISITS_PER_DAY = 24;

/**
 * Reads the arguments of the command.
 *
 * @throws {ServerFault} With what is wrong.
 */
export function parseDemoCommand(args: readonly string[], variables: Variables): DemoCommand | "help" {
  const given = readFlags(COMMAND, { args, variables });
  if (typeof given === "string") return "help";
  const { port, "ingest-port": ingestPort } = given.values;
  if (port === ingestPort && port > 0) throw new ServerFault("the shop and the ingest need a port each");
  return { port, ingestPort };
}

/** Options of {@linkcode runDemoCommand}. */
export interface DemoRun {
  /** The shop. */
  readonly files: ShopFiles;
  /** Takes a line for the person in front. */
  readonly show: (line: string) => void;
  /** Resolves when it is to end. */
  readonly ended: Promise<unknown>;
}

/**
 * Runs the demo until it is ended.
 *
 * @throws {ServerFault} When it can't start.
 */
export async function runDemoCommand(command: DemoCommand, { files, show, ended }: DemoRun): Promise<void> {
  // Rows wait until the reports are filled: nothing else is to stand below the head of their table.
  const early: FeedRow[] = [];
  let showRow = (row: FeedRow): void => void early.push(row);
  const demo = await startDemo({
    ...command,
    files,
    visitsPerDay: VISITS_PER_DAY,
    openStore: openDemoStore,
    onRow: (row) => showRow(row),
    onFault: (message) => show(`ingest: ${message}`),
  });
  show(`Shop      ${demo.site}/`);
  show(`Reports   ${demo.reports}`);
  show(`Agents    ${new URL("/mcp", demo.reports)}`);
  show(`Events    ${demo.endpoint}, kept in ${demo.directory} until the end\n`);
  show("Open the shop, accept, buy a tea: each event stands here, and in the reports. Ctrl-C ends it.");
  show("Filling the reports with a made-up year: they answer in a few seconds, once it is stored.");
  const isOver = ended.then(() => true);
  const made = await Promise.race([demo.year, isOver]);
  // Of none it was said why.
  if (typeof made === "number" && made > 0) {
    show(`A made-up year of ${made} events is in the reports. Two user IDs for One person: ${REGULARS.join(", ")}.`);
  }
  if (made !== true) {
    show(`\n${ROW_HEADER}`);
    showRow = (row) => show(formatRow(row));
    early.forEach(showRow);
  }
  await isOver;
  await demo.stop();
  show("\nStopped.");
}

/** Opens the store that the program has by default. */
export async function openDemoStore(directory: string): ReturnType<DemoOptions["openStore"]> {
  const { sink, reader, close } = await openSink({ kind: "file", path: `${directory}/events` });
  if (reader === undefined) throw new ServerFault("the store of the demo can't be read");
  return { sink, reader, close };
}
