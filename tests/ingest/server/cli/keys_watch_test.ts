import { assertEquals } from "@std/assert";
import { listActiveKeys, readKeysFile, type ServerKey } from "../../../../src/ingest/server/cli/keys_file.ts";
import { createKeyring } from "../../../../src/ingest/keys/keyring.ts";
import { watchKeys } from "../../../../src/ingest/server/cli/keys_watch.ts";

const INTERVAL_MS = 5;

/** A keys file with the keys. */
function textOf(...keys: readonly string[]): string {
  return JSON.stringify({
    keys: keys.map((apiKey) => ({ name: apiKey.replace("pk", "site"), apiKey, origins: ["https://shop.example"] })),
  });
}

/** Puts a text into a file at once: nobody sees a part of it. */
async function put(path: string, text: string): Promise<void> {
  await Deno.writeTextFile(`${path}.new`, text);
  await Deno.rename(`${path}.new`, path);
}

Deno.test("watchKeys() applies what changes, and keeps the keys where the file is broken or gone", async () => {
  const path = await Deno.makeTempFile();
  await put(path, textOf("pk_1"));
  const applied: (readonly string[])[] = [];
  const lines: string[] = [];
  const watch = watchKeys({
    path,
    keys: listActiveKeys(readKeysFile(path)),
    apply: async (keys: readonly ServerKey[]) => {
      applied.push(keys.map(({ apiKey }) => apiKey));
      await undefined;
    },
    log: (_level, message) => void lines.push(message),
    intervalMs: INTERVAL_MS,
  });
  const until = async (count: number): Promise<void> => {
    while (lines.length < count) await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  };

  await put(path, textOf("pk_1", "pk_2"));
  await until(1);
  await put(path, '{"keys":[');
  await until(2);
  await Deno.remove(path);
  await until(3);
  await put(path, textOf("pk_2"));
  await until(4);
  await watch.readNow();
  watch.stop();
  await Deno.remove(path);

  assertEquals(applied, [["pk_1", "pk_2"], ["pk_2"], ["pk_2"]]);
  assertEquals(lines, [
    "keys read again",
    "the keys stay as they were",
    "the keys stay as they were",
    "keys read again",
    "keys read again",
  ]);
});

Deno.test("watchKeys() reads 10,000 keys in pieces, so that requests get their turn", async () => {
  const path = await Deno.makeTempFile();
  await put(path, textOf(...Array.from({ length: 10_000 }, (_, index) => `pk_${index}`)));
  const keyring = createKeyring([]);
  const watch = watchKeys({ path, keys: [], apply: keyring.replace, log: () => {}, intervalMs: 60_000 });
  const shares: number[] = [];
  for (let run = 0; run < 5; run++) {
    const startMs = performance.now();
    let [lastMs, longestMs] = [startMs, 0];
    const look = (): void => {
      const nowMs = performance.now();
      longestMs = Math.max(longestMs, nowMs - lastMs);
      lastMs = nowMs;
    };
    const timer = setInterval(look, 1);
    await watch.readNow();
    clearInterval(timer);
    look();
    shares.push(longestMs / (lastMs - startMs));
  }
  watch.stop();
  await Deno.remove(path);

  assertEquals((await keyring.find("pk_9999"))?.name, "site_9999");
  // Nobody else's turn came before the end when it was read at once.
  assertEquals(Math.min(...shares) < 0.4, true, `the longest pieces were ${shares.join(", ")} of all`);
});
