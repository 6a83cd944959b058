import { assertEquals } from "@std/assert";
import { listActiveKeys, readKeysFile, type ServerKey } from "../../../../src/ingest/server/cli/keys_file.ts";
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
    apply: (keys: readonly ServerKey[]) => void applied.push(keys.map(({ apiKey }) => apiKey)),
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
  watch.readNow();
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
