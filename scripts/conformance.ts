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
import { createIngest } from "../src/ingest/handler.ts";
import { createSqliteSink } from "../src/ingest/sinks/sqlite/sqlite_sink.ts";
import { BODY_CASES } from "./conformance/body_cases.ts";
import type { Case } from "./conformance/case.ts";
import { DUPLICATE_CASES } from "./conformance/duplicate_cases.ts";
import { REQUEST_CASES } from "./conformance/request_cases.ts";
import { createTarget, type Target, type TargetOptions } from "./conformance/target.ts";

const CASES: readonly Case[] = [...REQUEST_CASES, ...DUPLICATE_CASES, ...BODY_CASES];

const OWN: Omit<TargetOptions, "url"> = { key: "pk_conformance", origin: "https://shop.example" };

const USAGE = "Usage: deno task conformance [--url URL --key KEY [--origin ORIGIN]]";

/** Runs the cases, and returns how many failed. */
async function runCases(target: Target): Promise<number> {
  const cases = CASES.filter(({ needsOrigin = false }) => !needsOrigin || target.origin !== undefined);
  const failures: string[] = [];
  for (const { name, run } of cases) {
    try {
      await run(target);
      console.log(`ok      the ingest ${name}`);
    } catch (error) {
      failures.push(`FAILED  the ingest ${name}: ${error instanceof Error ? error.message : error}`);
      console.log(failures.at(-1));
    }
  }
  const untried = CASES.length - cases.length;
  if (untried > 0) console.log(`Not tried without --origin: ${untried} cases of origins that aren't registered.`);
  if (failures.length > 0) console.log(`\n${failures.join("\n")}\n`);
  console.log(`${cases.length - failures.length} passed, ${failures.length} failed`);
  return failures.length;
}

async function runOwn(): Promise<number> {
  const sink = await createSqliteSink({ path: ":memory:" });
  const ingest = createIngest({ keys: [{ apiKey: OWN.key, origins: [OWN.origin ?? ""] }], sink });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ingest);
  try {
    return await runCases(createTarget({ ...OWN, url: `http://127.0.0.1:${server.addr.port}/v1/events` }));
  } finally {
    await server.shutdown();
    await sink.close();
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
  const failed = target === undefined ? await runOwn() : await runCases(createTarget(target));
  Deno.exit(failed === 0 ? 0 : 1);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  Deno.exit(2);
}
