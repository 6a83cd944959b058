import { assertEquals, assertThrows } from "@std/assert";
import { runKeysCommand } from "../../../../src/ingest/server/cli/keys_command.ts";
import { readKeysFile } from "../../../../src/ingest/server/cli/keys_file.ts";
import { runNoteCommand } from "../../../../src/ingest/server/cli/note_command.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";

const NOW = Date.parse("2026-03-31T23:30:00Z");

/** Runs a test with what runs commands on a keys file that has the key `shop`. */
function withFile(use: (run: (...args: string[]) => string, path: string) => void): void {
  const folder = Deno.makeTempDirSync();
  try {
    const path = `${folder}/keys.json`;
    runKeysCommand(["new", "shop", "https://shop.example", "--reports", "--keys-file", path], {});
    use((...args) => runNoteCommand(args, { variables: { INGEST_KEYS_FILE: path }, now: NOW }), path);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("note adds a note to the only key, lists and deletes it", () => {
  withFile((run, path) => {
    const notes = () => readKeysFile(path)[0]?.notes;

    assertEquals(run("list"), "there are no notes");
    assertEquals(run("new banner"), "noted on 2026-03-31");
    assertEquals(run("sale", "--at", "2026-03-02", "--site", "https://shop.example"), "noted on 2026-03-02");
    run("sale", "--at", "2026-03-01");

    assertEquals(notes(), [
      { day: "2026-03-31", text: "new banner" },
      { day: "2026-03-02", text: "sale", site: "https://shop.example" },
      { day: "2026-03-01", text: "sale" },
    ]);
    assertEquals(run("list"), "2026-03-01  sale\n2026-03-02  sale  (https://shop.example)\n2026-03-31  new banner");
    assertEquals(run("list", "--site", "https://blog.example", "--at", "2026-03-01"), "2026-03-01  sale");

    assertThrows(() => run("delete"), ServerFault, "name the text of the note to delete");
    assertEquals(run("delete", "sale", "--at", "2026-03-01"), "1 note is deleted");
    run("sale", "--at", "2026-03-05");
    assertEquals(run("delete", "sale"), "2 notes are deleted");
    run("delete", "new banner");
    assertEquals(notes(), undefined);
  });
});

Deno.test("note takes a key by its name, or as pages send it", () => {
  withFile((run, path) => {
    runKeysCommand(["new", "blog", "any", "--keys-file", path], {});
    const notes = () => readKeysFile(path).map(({ notes = [] }) => notes.map(({ text }) => text));

    run("one", "--key", "blog");
    run("two", "--key", readKeysFile(path)[0]?.apiKey ?? "");

    assertEquals(notes(), [["two"], ["one"]]);
    assertThrows(() => run("three"), ServerFault, "there are several keys: name one with --key KEY");
    runKeysCommand(["revoke", "blog", "--keys-file", path], {});
    assertThrows(() => run("three", "--key", "blog"), ServerFault, "there is no such key: see keys list");
    run("three");
    assertEquals(notes(), [["two", "three"], ["one"]]);
  });
});

Deno.test("note says what is wrong, and leaves the file as it was", () => {
  withFile((run, path) => {
    const before = Deno.readTextFileSync(path);

    assertThrows(() => run("sale", "--at", "2026-02-30"), ServerFault, "notes[0].day must be a day that exists");
    for (const site of ["shop", "https://blog.example"]) {
      assertThrows(() => run("sale", "--site", site), ServerFault, "the key has no such site: see keys list");
    }
    assertThrows(() => run(" "), ServerFault, "notes[0].text must be 1 to 200 characters in one line");
    assertThrows(() => run("delete", "sale"), ServerFault, "there is no such note: see note list");
    for (const word of ["help", "add", "rm"]) {
      assertThrows(() => run(word), ServerFault, `note ${word} is no command: see note --help`);
    }
    assertThrows(() => run(), ServerFault, "note must be one of list, TEXT, delete TEXT: see note --help");
    assertThrows(
      () => runNoteCommand(["sale"], { variables: {}, now: NOW }),
      ServerFault,
      "there is no file: name one with --keys-file FILE",
    );
    assertEquals(Deno.readTextFileSync(path), before);
  });
});
