import { assertEquals, assertRejects } from "@std/assert";
import { createGroupCommit, type Outcome } from "../../../src/ingest/stores/group_commit.ts";

/** Commits numbers: odd ones are refused, and a group that holds 0 fails. */
function createNumbers(): { groupCommit: ReturnType<typeof createGroupCommit<number, string>>; committed: number[][] } {
  const committed: number[][] = [];
  const groupCommit = createGroupCommit<number, string>((items) => {
    if (items.includes(0)) return Promise.reject(new Error("disk full"));
    committed.push([...items]);
    return Promise.resolve(items.map(toOutcome));
  });
  return { groupCommit, committed };
}

function toOutcome(item: number): Outcome<string> {
  return item % 2 === 0 ? { result: `${item}!` } : { error: new Error("odd") };
}

Deno.test("createGroupCommit() commits together what comes at the same time", async () => {
  const { groupCommit, committed } = createNumbers();

  const first = await Promise.all([groupCommit.add(2, 1), groupCommit.add(4, 1)]);
  const second = await groupCommit.add(6, 1);

  assertEquals([first, second], [["2!", "4!"], "6!"]);
  assertEquals(committed, [[2, 4], [6]]);
});

Deno.test("createGroupCommit() rejects the item that can't be committed, and no other", async () => {
  const { groupCommit } = createNumbers();
  const odd = groupCommit.add(3, 1);

  const even = await Promise.all([assertRejects(() => odd, Error, "odd"), groupCommit.add(4, 1)]);

  assertEquals(even[1], "4!");
});

Deno.test("createGroupCommit() rejects all of a group that fails, and goes on", async () => {
  const { groupCommit } = createNumbers();
  const failing = [groupCommit.add(0, 1), groupCommit.add(2, 1)];

  await Promise.all(failing.map((item) => assertRejects(() => item, Error, "disk full")));

  assertEquals(await groupCommit.add(2, 1), "2!");
});

Deno.test("createGroupCommit() ends a group that is heavy enough, and takes the rest in the next", async () => {
  const { groupCommit, committed } = createNumbers();

  await Promise.all([2, 4, 6, 8].map((item) => groupCommit.add(item, 1000)));

  assertEquals(committed, [[2, 4], [6, 8]]);
});

Deno.test("createGroupCommit() commits together what comes while a commit runs", async () => {
  const commits: { readonly items: readonly number[]; readonly end: () => void }[] = [];
  const groupCommit = createGroupCommit<number, string>((items) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    commits.push({ items, end: resolve });
    return promise.then(() => items.map(toOutcome));
  });

  const first = groupCommit.add(2, 1);
  await new Promise((resolve) => setTimeout(resolve, 0));
  const later = [groupCommit.add(4, 1), groupCommit.add(6, 1)];
  const before = commits.map(({ items }) => items);
  commits[0]?.end();
  await first;
  await new Promise((resolve) => setTimeout(resolve, 0));
  commits[1]?.end();
  const results = await Promise.all(later);

  assertEquals([before, commits.map(({ items }) => items)], [[[2]], [[2], [4, 6]]]);
  assertEquals(results, ["4!", "6!"]);
});
