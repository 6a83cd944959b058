/**
 * Sends made-up requests over HTTP to an ingest in a process of its own, for `--minutes=10`. Only answers of the
 * contract may come back, none of them 503; the process must live, and its memory stay flat.
 *
 * @module
 */
import fc from "fast-check";
import { KEY, ORIGIN } from "../../tests/ingest/fixtures.ts";
import { body, headers, method } from "../../tests/ingest/contract/request_arbitrary.ts";
import { mutatedBody, validBody } from "../../tests/ingest/contract/schema_arbitrary.ts";

/** Statuses of the ingest that a sink which works can lead to. */
const STATUSES = [202, 204, 400, 401, 403, 405, 413, 415];

const BATCH_RUNS = 500;

const MAX_GROWTH = 1.2;

const RIGHT_HEADERS = {
  "Content-Type": "application/json",
  "X-API-Key": KEY,
  "X-Vendor-SDK-Version": "0.1.0",
  "Origin": ORIGIN,
};

interface MadeUp {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

const toText = (value: unknown): string => JSON.stringify(value);

const request: fc.Arbitrary<MadeUp> = fc.oneof(
  fc.record({ method, headers, body }),
  fc.record({
    method: fc.constant("POST"),
    headers: fc.constant({ ...RIGHT_HEADERS }),
    body: fc.oneof(validBody.map(toText), mutatedBody.map(toText)),
  }),
  fc.record({
    method: fc.constant("POST"),
    headers: fc.constant({ ...RIGHT_HEADERS, "Content-Encoding": "gzip" }),
    body: fc.uint8Array({ maxLength: 300 }).map((bytes) =>
      new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, ...bytes])
    ),
  }),
);

const minutes = Number(Deno.args.find((argument) => argument.startsWith("--minutes="))?.split("=")[1] ?? 2);
const child = new Deno.Command(Deno.execPath(), {
  args: ["run", "-A", "--v8-flags=--expose-gc", new URL("fuzz_server.ts", import.meta.url).pathname],
  stdin: "piped",
  stdout: "piped",
  stderr: "piped",
}).spawn();
const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
const errors = new Response(child.stderr).text();
const input = child.stdin.getWriter();
const readLine = async (): Promise<string> => (await lines.read()).value ?? "";
const url = `http://127.0.0.1:${Number(await readLine())}/v1/events`;

async function measureMemory(): Promise<readonly number[]> {
  await input.write(new TextEncoder().encode("\n"));
  return (await readLine()).split(" ").map((bytes) => Number(bytes) / 1e6);
}

const seen = new Map<number, number>();

async function send(made: MadeUp): Promise<void> {
  const answer = await fetch(url, made);
  const text = await answer.text();
  seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
  if (!STATUSES.includes(answer.status)) throw new Error(`status ${answer.status}: ${text}`);
  if (answer.headers.get("Access-Control-Allow-Origin") === null) throw new Error(`${answer.status} without CORS`);
  if (answer.status >= 400 && typeof JSON.parse(text).error.code !== "string") throw new Error(`no code in ${text}`);
}

let failed = false;
const heaps: number[] = [];
try {
  const endMs = Date.now() + minutes * 60_000;
  while (Date.now() < endMs) {
    await fc.assert(fc.asyncProperty(request, send), { numRuns: BATCH_RUNS });
    const [heap = NaN, rss = NaN] = await measureMemory();
    heaps.push(heap);
    const total = [...seen.values()].reduce((sum, count) => sum + count, 0);
    console.log(`${total} requests; heap ${heap.toFixed(1)} MB, process ${rss.toFixed(0)} MB`);
  }
} catch (error) {
  failed = true;
  console.error(error instanceof Error ? error.message : error);
} finally {
  await input.close().catch(() => {});
  child.kill("SIGKILL");
  const [, said] = await Promise.all([child.status, errors]);
  if (said !== "") console.error(said);
  failed ||= said !== "";
}

// The first quarter is for the caches of the engine to fill.
const settled = heaps[Math.floor(heaps.length / 4)] ?? NaN;
const last = heaps.at(-1) ?? NaN;
const isFlat = heaps.length < 4 || last <= settled * MAX_GROWTH;
console.log([...seen].sort(([one], [other]) => one - other).map(([status, count]) => `${status}: ${count}`).join(", "));
console.log(
  `heap after a quarter ${settled.toFixed(1)} MB, at the end ${last.toFixed(1)} MB: ${isFlat ? "flat" : "grows"}`,
);
Deno.exit(failed || !isFlat ? 1 : 0);
