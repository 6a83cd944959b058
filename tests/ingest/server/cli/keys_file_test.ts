import { assertEquals, assertThrows } from "@std/assert";
import { changeKeysFile, type FileKey, readKeysFile } from "../../../../src/ingest/server/cli/keys_file.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";

function withFolder(use: (folder: string) => void): void {
  const folder = Deno.makeTempDirSync();
  try {
    use(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function listNames(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).toSorted();
}

function add(name: string): (keys: readonly FileKey[]) => readonly FileKey[] {
  return (keys) => [...keys, { name, apiKey: `pk_${name}`, origins: "any" }];
}

function namesOf(path: string): readonly string[] {
  return readKeysFile(path).map(({ name }) => name);
}

Deno.test("a change of the keys file that another one overtakes is made anew, and none is lost", () => {
  withFolder((folder) => {
    const path = `${folder}/keys.json`;
    const seen: (readonly string[])[] = [];
    changeKeysFile(path, (keys) => {
      seen.push(keys.map(({ name }) => name));
      if (seen.length < 3) changeKeysFile(path, add(`other${seen.length}`));
      return add("own")(keys);
    });

    assertEquals(seen, [[], ["other1"], ["other1", "other2"]]);
    assertEquals([namesOf(path), listNames(folder)], [["other1", "other2", "own"], ["keys.json"]]);
  });
});

Deno.test("a change of the keys file that others always overtake says so, and leaves the file as they did", () => {
  withFolder((folder) => {
    const path = `${folder}/keys.json`;
    let others = 0;
    const { message } = assertThrows(() =>
      changeKeysFile(path, (keys) => {
        changeKeysFile(path, add(`other${others += 1}`));
        return add("own")(keys);
      }), ServerFault);

    assertEquals(message, `another process is changing ${path}: try it again`);
    assertEquals(namesOf(path), Array.from({ length: others }, (_, index) => `other${index + 1}`));
    assertEquals(listNames(folder), ["keys.json"]);
  });
});

Deno.test("a change of the keys file removes what a killed one left, and never what is none of its drafts", () => {
  withFolder((folder) => {
    const path = `${folder}/keys.json`;
    const id = crypto.randomUUID();
    const others = [`keys.json.${id}`, `keys_json.${id}.new`, "keys.json.1.new", "keys.json.new"];
    for (const name of [...others, `keys.json.${id}.new`]) Deno.writeTextFileSync(`${folder}/${name}`, "");
    changeKeysFile(path, add("shop"));

    assertEquals(listNames(folder), ["keys.json", ...others].toSorted());
  });
});

Deno.test("a change of the keys file follows links, also to a file that isn't there yet", () => {
  withFolder((folder) => {
    Deno.mkdirSync(`${folder}/inner`);
    Deno.symlinkSync("inner/keys.json", `${folder}/link.json`);
    for (const name of ["shop", "app"]) {
      changeKeysFile(`${folder}/link.json`, add(name));
      Deno.chmodSync(`${folder}/inner/keys.json`, 0o640);
    }
    changeKeysFile(`${folder}/link.json`, add("blog"));

    assertEquals(Deno.lstatSync(`${folder}/link.json`).isSymlink, true);
    assertEquals(namesOf(`${folder}/inner/keys.json`), ["shop", "app", "blog"]);
    assertEquals((Deno.statSync(`${folder}/inner/keys.json`).mode ?? 0) & 0o777, 0o640);
    assertEquals([listNames(folder), listNames(`${folder}/inner`)], [["inner", "link.json"], ["keys.json"]]);
  });
});
