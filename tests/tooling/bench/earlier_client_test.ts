import { assertEquals, assertRejects } from "@std/assert";
import { extractEarlierClient } from "../../../scripts/bench/client/earlier_client.ts";

Deno.test("extractEarlierClient() takes the client of a commit, and leaves nothing behind", async () => {
  const { folder, title, remove } = await extractEarlierClient("HEAD");

  const entry = await Deno.stat(`${folder}/mod.ts`);
  await remove();

  assertEquals([entry.isFile, /^[0-9a-f]{7,} of \d{4}-\d\d-\d\d$/.test(title)], [true, true]);
  await assertRejects(() => Deno.stat(folder), Deno.errors.NotFound);
});

Deno.test("extractEarlierClient() says which commit isn't there", async () => {
  await assertRejects(() => extractEarlierClient("0123456789abcdef"), Error, "0123456789abcdef");
});
