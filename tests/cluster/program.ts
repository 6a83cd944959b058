/**
 * The program as a process, on Deno and, bundled as the npm package has it, on Node.
 *
 * @module
 */
import { runProcess } from "../../scripts/support/process.ts";
import { headersOf, KEY, ORIGIN } from "../ingest/fixtures.ts";
import type { IngestProcessOptions, RunningIngest } from "./ingest_process.ts";
import { buildNodeProgram } from "./node_program.ts";

/** Flags of a key for one site. */
export const KEY_ARGS: readonly string[] = ["--key", `${KEY}=${ORIGIN}`];

/** Flags of a server that keeps nothing. */
export const MEMORY_ARGS: readonly string[] = [...KEY_ARGS, "--sink", "memory"];

/** For the files of a test file; removed at its end. */
export const DIRECTORY: string = Deno.makeTempDirSync();

globalThis.addEventListener("unload", () => Deno.removeSync(DIRECTORY, { recursive: true }));

let bundling: Promise<string> | undefined;
let finding: Promise<string> | undefined;

/** Returns the path of a folder of events that isn't there yet. */
export function newFolder(): string {
  return `${DIRECTORY}/${crypto.randomUUID()}`;
}

/** Returns the path of the program for Node, with its packages beside it: the launcher's, or one that is made once. */
export function bundleOnce(): Promise<string> {
  const path = Deno.env.get("NODE_PROGRAM");
  return bundling ??= path === undefined ? buildNodeProgram(DIRECTORY) : Promise.resolve(path);
}

/** Registers a test for both runtimes. */
export function testBoth(name: string, test: (options: IngestProcessOptions) => Promise<void>): void {
  Deno.test(`ingest on Deno: ${name}`, () => test({}));
  Deno.test(`ingest on Node: ${name}`, async () => await test({ nodeProgram: await bundleOnce() }));
}

/** Registers a test for both runtimes, of a Node that has SQLite: a folder of events needs it. */
export function testBothWithFolder(name: string, test: (options: IngestProcessOptions) => Promise<void>): void {
  Deno.test(`ingest on Deno with a folder: ${name}`, () => test({}));
  Deno.test(`ingest on Node with a folder: ${name}`, async () => await test(await prepareNodeWithFolder()));
}

/** Whether tests in which the runtime has no part run on Deno as well: long, and no change needs to wait for it. */
const HAS_ALL_RUNTIMES = Deno.env.get("RUNTIMES") === "all";

/** Registers a test in which the runtime has no part: on Node, as most run the program, and on Deno where all are asked for. */
export function testOnce(name: string, test: (options: IngestProcessOptions) => Promise<void>): void {
  if (HAS_ALL_RUNTIMES) testBothWithFolder(name, test);
  else Deno.test(`ingest on Node with a folder: ${name}`, async () => await test(await prepareNodeWithFolder()));
}

/** Bundles the program, and finds a Node that has SQLite: 22, from npm, unless the one at hand is newer. */
export async function prepareNodeWithFolder(): Promise<IngestProcessOptions> {
  finding ??= findNode(["node"]).catch(() => findNode(NODE_22));
  const [nodeProgram, node] = await Promise.all([bundleOnce(), finding]);
  return { launcher: { command: node, args: [nodeProgram] } };
}

const NODE_22: readonly string[] = ["npx", "-y", "node@22"];

async function findNode([command = "node", ...args]: readonly string[]): Promise<string> {
  const program = 'require("node:sqlite"); console.log(process.execPath)';
  const { code, output } = await runProcess(command, { args: [...args, "-e", program], isQuiet: true });
  const path = output.split("\n").find((line) => line.startsWith("/"));
  if (code !== 0 || path === undefined) throw new Error(`${command} has no SQLite:\n${output}`);
  return path;
}

/** Sends a body as a page of the registered site does. */
export function send({ endpoint }: RunningIngest, body: BodyInit, signal?: AbortSignal): Promise<Response> {
  return fetch(endpoint, { method: "POST", headers: headersOf(), body, ...(signal && { signal }) });
}

/** Waits until the metrics hold the line, `requests_pending 1`. */
export async function untilCounted({ origin }: RunningIngest, metric: string): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    if (metrics.includes(`vendor_ingest_${metric}\n`)) return;
  }
}
