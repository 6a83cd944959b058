/**
 * `deno task conformance`: holds any ingest to the contract, over HTTP. Without `--url` it starts the one of this
 * package on a free port.
 *
 *     deno task conformance --url https://ingest.shop.example/v1/events --key pk_test_1 --origin https://shop.example
 *
 * Give a key of its own: the events of the tests are stored under it. `--origin` is one that is registered for the
 * key; without it the key must take any, and what depends on origins isn't tried.
 *
 * @module
 */
import { createIngest } from "../../src/ingest/handler.ts";
import { createFileSink } from "../../src/ingest/stores/file/file_sink.ts";
import { runCases } from "./run_cases.ts";
import { createTarget, type TargetOptions } from "./target.ts";

const OWN: Omit<TargetOptions, "url"> = { key: "pk_conformance", origin: "https://shop.example" };

const USAGE = "Usage: deno task conformance [--url URL --key KEY [--origin ORIGIN]]";

async function runOwn(): Promise<number> {
  const directory = await Deno.makeTempDir();
  const sink = await createFileSink({ path: `${directory}/events` });
  const ingest = createIngest({ keys: [{ apiKey: OWN.key, origins: [OWN.origin ?? ""] }], sink });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ingest);
  try {
    return await runCases(createTarget({ ...OWN, url: `http://127.0.0.1:${server.addr.port}/v1/events` }), console.log);
  } finally {
    await server.shutdown();
    await sink.close();
    await Deno.remove(directory, { recursive: true });
  }
}

function readTarget(args: readonly string[]): TargetOptions | undefined {
  const values = new Map<string, string>();
  for (let index = 0; index < args.length; index += 2) {
    const [name = "", value] = args.slice(index, index + 2);
    if (!/^--(?:url|key|origin)$/.test(name) || value === undefined) throw new TypeError(USAGE);
    values.set(name, value);
  }
  if (values.size === 0) return undefined;
  const [url, key, origin] = [values.get("--url"), values.get("--key"), values.get("--origin")];
  if (url === undefined || key === undefined || !URL.canParse(url)) throw new TypeError(USAGE);
  return { url, key, ...(origin !== undefined && { origin }) };
}

try {
  const target = readTarget(Deno.args);
  const failed = target === undefined ? await runOwn() : await runCases(createTarget(target), console.log);
  Deno.exit(failed === 0 ? 0 : 1);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  Deno.exit(2);
}
