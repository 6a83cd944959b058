import { assert, assertEquals } from "@std/assert";
import { bundleSubject } from "../../../scripts/bench/client/subject_bundle.ts";
import { PACKAGES, SUBJECTS } from "../../../scripts/bench/client/subjects.ts";

Deno.test("every peer is pinned to an exact version", () => {
  assertEquals(Object.values(PACKAGES).filter((version) => !/^\d+\.\d+\.\d+$/.test(version)), []);
  const used = SUBJECTS.flatMap(({ packageName }) => packageName ?? []);
  assertEquals(used.toSorted(), Object.keys(PACKAGES).toSorted());
});

Deno.test("bundleSubject() bundles the client as an application would", () => {
  const ours = SUBJECTS.find(({ id }) => id === "ours");
  assert(ours);

  const { files, initial, brotliBytes } = bundleSubject(ours, Deno.cwd());

  assertEquals([[...files.keys()], initial], [["entry.js"], ["entry.js"]]);
  assert(files.get("entry.js")?.includes("@vendor/sdk"));
  assert(brotliBytes > 1000 && brotliBytes < 20_000);
});

Deno.test("bundleSubject() counts what a page loads at once, not what it loads on demand", async () => {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${directory}/part.js`, `export const part = "${"on demand ".repeat(50)}";`);
    const program = `export const init = () => import("./part.js"), track = () => {};`;

    const { files, initial } = bundleSubject({ id: "test", quietMs: 0, program }, directory);

    assertEquals([files.size > 1, initial], [true, ["entry.js"]]);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("bundleSubject() puts the banner first, where engines look for a compile hint", () => {
  const program = `export const init = () => {}, track = () => {};`;

  const { files } = bundleSubject({ id: "test", banner: "//# hint", quietMs: 0, program }, Deno.cwd());

  assertEquals(files.get("entry.js")?.split("\n")[0], "//# hint");
});
