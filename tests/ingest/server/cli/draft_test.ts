import { assertEquals, assertThrows } from "@std/assert";
import { createDraft } from "../../../../src/ingest/server/cli/draft.ts";

function withFolder(use: (folder: string) => void): void {
  const folder = Deno.makeTempDirSync();
  try {
    use(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function listNames(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name);
}

Deno.test("a draft takes its name once it is whole, and leaves nothing beside it", () => {
  withFolder((folder) => {
    const draft = createDraft(`${folder}/out`);
    draft.write("whole");
    assertEquals(listNames(folder), [`out.${Deno.pid}.new`]);
    draft.commit();
    draft.discard();

    assertEquals([listNames(folder), Deno.readTextFileSync(`${folder}/out`)], [["out"], "whole"]);
    assertEquals((Deno.statSync(`${folder}/out`).mode ?? 0) & 0o777, 0o600);
  });
});

Deno.test("who still writes a draft that was broken off can't create it anew", () => {
  withFolder((folder) => {
    const broken = new AbortController();
    const draft = createDraft(`${folder}/out`, { signal: broken.signal });
    broken.abort();

    assertThrows(() => Deno.writeTextFileSync(draft.path, "late"), Deno.errors.NotFound);
    assertThrows(() => draft.write("late"), Error, "it was broken off");
    assertEquals(listNames(folder), []);
  });
});

Deno.test("a draft that can't take its name leaves nothing, and never what isn't a draft's", () => {
  withFolder((folder) => {
    const names = ["out", "left", "left.4194399.new"];
    for (const name of names) Deno.mkdirSync(`${folder}/${name}`);
    Deno.writeTextFileSync(`${folder}/left.4194399.new/precious`, "of somebody");
    for (const path of ["out", "out/", "left"]) {
      const draft = createDraft(`${folder}/${path}`);
      assertThrows(() => draft.commit());
      draft.discard();
    }

    assertEquals(listNames(folder).toSorted(), names.toSorted());
    assertEquals([listNames(`${folder}/out`), listNames(`${folder}/left.4194399.new`)], [[], ["precious"]]);
  });
});

Deno.test("a draft takes over what a process of the same id left", () => {
  withFolder((folder) => {
    Deno.mkdirSync(`${folder}/out.${Deno.pid}.new`);
    Deno.writeTextFileSync(`${folder}/out.${Deno.pid}.new/file`, "in a directory");
    const draft = createDraft(`${folder}/out`);
    draft.commit();

    assertEquals(listNames(folder), ["out"]);
  });
});
