import { assert } from "@std/assert";
import { createKeyring } from "../../src/ingest/keys/keyring.ts";
import { doAtOnce } from "../../src/ingest/platform/pieces.ts";
import { checkSecrets } from "../../src/ingest/reports/access/authenticator.ts";
import { measureBestRatio } from "./measure_best.ts";

/** Measures how long a keyring of so many keys takes for one more. */
async function measureReplaceMs(count: number): Promise<number> {
  const keys = Array.from({ length: count + 1 }, (_, index) => ({
    apiKey: `pk_${index}`,
    secretKey: `sk_of_a_test_0123456789_${index}`,
    origins: "any" as const,
  }));
  const keyring = createKeyring(keys.slice(0, -1));
  await keyring.find("pk_0");
  const times: number[] = [];
  for (let run = 0; run < 3; run++) {
    const startMs = performance.now();
    doAtOnce(checkSecrets(keys));
    await keyring.replace(keys);
    await keyring.find("pk_0");
    times.push(performance.now() - startMs);
  }
  return Math.min(...times);
}

Deno.test("one more of many keys costs as much as there are keys, not as their square", async () => {
  const ratio = await measureBestRatio(30, async () => {
    const smallMs = await measureReplaceMs(6000);
    return [await measureReplaceMs(48_000), smallMs];
  });

  assert(ratio <= 30, `8 times as many took ${ratio} times as long`); // 64, were each key compared with each
});
