import { assertEquals, assertStringIncludes } from "@std/assert";
import { runKeysCommand } from "../../src/ingest/server/cli/keys_command.ts";
import { createSender } from "../../src/sender/mod.ts";
import { FULL, headersOf } from "../ingest/fixtures.ts";
import { type RunningIngest, startIngest } from "./ingest_process.ts";
import { startLoad, until } from "./traffic.ts";
import { DIRECTORY, testOnce } from "./program.ts";

let files = 0;

/** Makes a keys file with one key, and returns its path, that key and its secret. */
function createKeysFile(): { readonly path: string; readonly key: string; readonly secret: string } {
  const path = `${DIRECTORY}/keys-${files += 1}.json`;
  const [key = "", secret = ""] = change(path, "new", "shop", "https://shop.example", "--reports");
  return { path, key, secret };
}

/** Runs `keys`, and returns the keys and secrets that it printed. */
function change(path: string, ...args: readonly string[]): readonly string[] {
  return runKeysCommand([...args, "--keys-file", path], {}).match(/\b(?:[ps]k|ss)_\w+/g) ?? [];
}

async function sendWith(ingest: RunningIngest, key: string): Promise<number> {
  const body = JSON.stringify({ ...FULL, events: [{ ...FULL.events[0], id: crypto.randomUUID() }] });
  const answer = await fetch(ingest.endpoint, { method: "POST", headers: headersOf({ "X-API-Key": key }), body });
  await answer.text();
  return answer.status;
}

async function readReport({ origin }: RunningIngest, secret: string): Promise<number> {
  const answer = await fetch(`${origin}/reports?format=json`, { headers: { Authorization: `Bearer ${secret}` } });
  await answer.text();
  return answer.status;
}

function linesOf(log: string, message: string): readonly Record<string, unknown>[] {
  return log.split("\n").filter((line) => line.includes(`"${message}"`)).map((line) => JSON.parse(line));
}

testOnce(
  "takes new keys and refuses revoked ones under load, and loses no request by that",
  async (options) => {
    const { path, key, secret } = createKeysFile();
    const ingest = await startIngest(["--sink", `file:${path}-events`, "--keys-file", path], options);
    const [loadKey = ""] = change(path, "new", "load", "https://shop.example");
    await ingest.until('"added":1');
    const load = startLoad({
      endpoint: () => ingest.endpoint,
      prefix: "keys",
      senders: 2,
      batchSize: 5,
      apiKey: loadKey,
    });
    const before = [await sendWith(ingest, key), await readReport(ingest, secret)];

    change(path, "revoke", "shop");
    await ingest.until('"revoked":1');
    const after = [await sendWith(ingest, key), await readReport(ingest, secret)];
    const [nextKey = "", nextSecret = ""] = change(path, "new", "next", "https://shop.example", "--reports");
    await until("the next key sends", async () => await sendWith(ingest, nextKey) === 202);
    const next = await readReport(ingest, nextSecret);
    await load.stop();
    const { code, stdout } = await ingest.end();

    assertEquals([before, after, next], [[202, 200], [401, 404], 200]);
    assertEquals([...load.statuses.keys()], [202]);
    assertEquals(code, 0);
    assertEquals([key, secret, nextKey, nextSecret].filter((text) => stdout.includes(text)), []);
  },
);

testOnce(
  "takes a backend's secret that is made while it runs, and refuses it once it is revoked",
  async (options) => {
    const { path, key } = createKeysFile();
    const ingest = await startIngest(["--sink", `file:${path}-events`, "--keys-file", path], options);
    const sendStep = async (secret: string): Promise<boolean> => {
      const sender = createSender({ apiKey: key, secret, endpoint: ingest.endpoint, onProblem: () => {} });
      sender.step({ userId: "ada", name: "purchase" });
      return await sender.close() === "stored";
    };

    const [secret = ""] = change(path, "secret", "shop", "webhooks");
    await until("the secret sends", () => sendStep(secret));
    change(path, "revoke", "shop", "webhooks");
    await until("the secret is refused", async () => !await sendStep(secret));
    const page = await sendWith(ingest, key);
    const { stdout } = await ingest.end();

    assertEquals(page, 202);
    assertStringIncludes(stdout, "unknown_secret");
    assertEquals([key, secret].filter((text) => stdout.includes(text)), []);
  },
);

testOnce("keeps its keys when their file is broken, and takes the next one that isn't", async (options) => {
  const { path, key } = createKeysFile();
  const ingest = await startIngest(["--sink", `file:${path}-events`, "--keys-file", path], options);
  const content = await Deno.readTextFile(path);

  await Deno.writeTextFile(path, content.slice(0, 30));
  const log = await ingest.until('"the keys stay as they were"');
  const broken = await sendWith(ingest, key);
  await Deno.writeTextFile(path, content.replaceAll("https://shop.example", "https://other.example"));
  await ingest.until('"keys read again"');
  const moved = await sendWith(ingest, key);
  const { stdout } = await ingest.end();

  assertEquals([broken, moved], [202, 403]);
  assertEquals(linesOf(log, "the keys stay as they were").map(({ level }) => level), ["error"]);
  assertStringIncludes(log, "it isn't JSON");
  assertEquals(stdout.includes(key), false);
});

testOnce("reads its keys at a SIGHUP, which ends it only without a keys file", async (options) => {
  const { path, key } = createKeysFile();
  const ingest = await startIngest(["--sink", `file:${path}-events`, "--keys-file", path], options);

  Deno.kill(ingest.pid, "SIGHUP");
  const log = await ingest.until('"keys read again"');
  const status = await sendWith(ingest, key);
  const { code } = await ingest.end();

  assertEquals(linesOf(log, "keys read again").map(({ keys, added, revoked }) => [keys, added, revoked]), [[1, 0, 0]]);
  assertEquals([status, code], [202, 0]);
});
