/**
 * The program as a process, on Deno and, bundled as the npm package has it, on Node.
 *
 * @module
 */
import { headersOf, KEY, ORIGIN } from "../ingest/fixtures.ts";
import { bundleForNode, type IngestProcessOptions, type RunningIngest } from "./ingest_process.ts";

/** Flags of a key for one site. */
export const KEY_ARGS: readonly string[] = ["--key", `${KEY}=${ORIGIN}`];

/** Flags of a server that keeps nothing. */
export const MEMORY_ARGS: readonly string[] = [...KEY_ARGS, "--sink", "memory"];

/** For the files of a test file; removed at its end. */
export const DIRECTORY: string = Deno.makeTempDirSync();

globalThis.addEventListener("unload", () => Deno.removeSync(DIRECTORY, { recursive: true }));

let bundling: Promise<string> | undefined;

/** Bundles the program for Node, once; returns its path. */
export function bundleOnce(): Promise<string> {
  bundling ??= bundleForNode(DIRECTORY);
  return bundling;
}

/** Registers a test for both runtimes. */
export function testBoth(name: string, test: (options: IngestProcessOptions) => Promise<void>): void {
  Deno.test(`ingest on Deno: ${name}`, () => test({}));
  Deno.test(`ingest on Node: ${name}`, async () => await test({ nodeProgram: await bundleOnce() }));
}

/** Sends a body as a page of the registered site does. */
export function send({ endpoint }: RunningIngest, body: BodyInit, signal?: AbortSignal): Promise<Response> {
  return fetch(endpoint, { method: "POST", headers: headersOf(), body, ...(signal && { signal }) });
}
