import process from "node:process";
import { SDK_VERSION } from "@vendor/sdk/contract";
import { ALERT, EXIT_ALERT, parseAlertCommand, runAlertCommand } from "./alert_command.ts";
import { BACKUP, parseBackupCommand, runBackupCommand } from "./backup_command.ts";
import { buildUsage, type Command } from "./flags.ts";
import { sendToStdout } from "../ops/log.ts";
import { DATA, parseDataCommand, runDataCommand } from "./data_command.ts";
import { DEMO, type DemoCommand, parseDemoCommand, runDemoCommand } from "./demo_command.ts";
import { KEYS, runKeysCommand } from "./keys_command.ts";
import { readShopFiles, type ShopFiles } from "../demo/shop_files.ts";
import { load } from "./load_command.ts";
import { LOAD, parseLoadSettings } from "./load_settings.ts";
import { MCP, parseMcpCommand, runMcpCommand } from "./mcp_command.ts";
import { NOTE, runNoteCommand } from "./note_command.ts";
import { parseReportCommand, REPORT, writeReport } from "./report_command.ts";
import { parseSqlCommand, runSqlCommand, SQL } from "./sql_command.ts";
import { parseTailCommand, runTailCommand, TAIL } from "./tail_command.ts";
import { ServerFault, UsageFault } from "../ops/server_fault.ts";
import { serve } from "./serve.ts";
import { parseSettings, SERVE } from "./settings.ts";
import { untilSignal } from "./signals.ts";

/** The commands of the program, the server first. */
export const COMMANDS: readonly Command[] = [
  SERVE,
  LOAD,
  KEYS,
  BACKUP,
  DATA,
  REPORT,
  NOTE,
  ALERT,
  TAIL,
  SQL,
  MCP,
  DEMO,
];

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

/** Runs the server until a signal ends it; resolves to the exit code: 1 when it can't start, 2 for a wrong setting. */
export async function run(args: readonly string[]): Promise<number> {
  let exitCode = EXIT_USAGE;
  try {
    const [name, ...others] = args;
    if (name === "keys") return show(runKeysCommand(others, process.env));
    if (name === "note") return show(runNoteCommand(others, { variables: process.env, now: Date.now() }));
    if (name === "backup") {
      const command = parseBackupCommand(others);
      if (command === "help") return show(buildUsage(BACKUP));
      exitCode = EXIT_FAILURE;
      return show(await untilBrokenOff((signal) => runBackupCommand(command, signal)));
    }
    if (name === "data") {
      const command = parseDataCommand(others, process.env);
      if (command === "help") return show(buildUsage(DATA));
      exitCode = EXIT_FAILURE;
      const output = process.stdout;
      const note = await untilBrokenOff((signal) => runDataCommand(command, { output, signal }));
      if (note !== undefined) console.error(`ingest: ${note}`);
      return 0;
    }
    if (name === "report") {
      const command = parseReportCommand(others, { variables: process.env, now: Date.now() });
      if (command === "help") return show(buildUsage(REPORT));
      exitCode = EXIT_FAILURE;
      await writeReport(command, process.stdout);
      return 0;
    }
    if (name === "sql") {
      const command = parseSqlCommand(others, process.env);
      if (command === "help") return show(buildUsage(SQL));
      exitCode = EXIT_FAILURE;
      await untilBrokenOff((signal) => runSqlCommand(command, { output: process.stdout, signal }));
      return 0;
    }
    if (name === "tail") {
      const command = parseTailCommand(others, process.env);
      if (command === "help") return show(buildUsage(TAIL));
      exitCode = EXIT_FAILURE;
      await untilEnded((signal) => {
        const note = (text: string): void => console.error(`ingest: ${text}`);
        return runTailCommand(command, { write: sendToStdout, note, signal });
      });
      return 0;
    }
    if (name === "alert") {
      const command = parseAlertCommand(others, { variables: process.env, now: Date.now() });
      if (command === "help") return show(buildUsage(ALERT));
      exitCode = EXIT_FAILURE;
      const count = await runAlertCommand(command, { now: Date.now, show, fetch });
      return count > 0 ? EXIT_ALERT : 0;
    }
    if (name === "mcp") {
      const command = parseMcpCommand(others, process.env);
      if (command === "help") return show(buildUsage(MCP));
      exitCode = EXIT_FAILURE;
      const note = (text: string): void => console.error(`ingest: ${text}`);
      await untilEnded((signal) => runMcpCommand(command, { input: process.stdin, write: sendToStdout, note, signal }));
      return 0;
    }
    if (name === "demo") {
      const command = parseDemoCommand(others, process.env);
      if (command === "help") return show(buildUsage(DEMO));
      exitCode = EXIT_FAILURE;
      await showDemo(command, await readShopFiles());
      return 0;
    }
    if (name === "load") {
      const job = parseLoadSettings(others, process.env);
      if (job === "help") return show(buildUsage(LOAD));
      exitCode = EXIT_FAILURE;
      await load(job);
      return 0;
    }
    const command = parseSettings(args, process.env);
    if (command === "help") return show(buildUsage(SERVE));
    if (command === "version") return show(SDK_VERSION);
    exitCode = EXIT_FAILURE;
    await serve(command);
    return 0;
  } catch (error) {
    if (!(error instanceof ServerFault)) throw error;
    console.error(`ingest: ${error.message}`);
    return error instanceof UsageFault ? EXIT_USAGE : exitCode;
  }
}

/** Does what a command does, unless a signal comes: then what it was writing is removed, and the rest isn't awaited. */
async function untilBrokenOff<R>(work: (signal: AbortSignal) => Promise<R>): Promise<R> {
  const end = untilSignal();
  const controller = new AbortController();
  const brokenOff = end.received.then((reason) => {
    controller.abort();
    throw new ServerFault(`it was broken off: ${reason}`);
  });
  try {
    return await Promise.race([work(controller.signal), brokenOff]);
  } finally {
    end.release();
  }
}

/**
 * Runs the demo until a signal ends it.
 *
 * @throws {ServerFault} When it can't start.
 */
export async function showDemo(command: DemoCommand, files: ShopFiles): Promise<void> {
  const end = untilSignal();
  try {
    await runDemoCommand(command, { files, show, ended: end.received });
  } finally {
    end.release();
  }
}

/** Longest time of work to end after a signal. */
const END_MS = 1000;

/**
 * Does what has no end of its own, until a signal comes. What it was writing isn't awaited for long: a terminal may stand still. But
 * on Node, the process would wait for a query that nobody has interrupted.
 */
async function untilEnded(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const end = untilSignal();
  const controller = new AbortController();
  const working = work(controller.signal);
  try {
    await Promise.race([working, end.received]);
  } finally {
    controller.abort();
    await Promise.race([working.catch(() => {}), wait(END_MS)]);
    end.release();
  }
}

function wait(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

function show(text: string): number {
  console.log(text);
  return 0;
}
