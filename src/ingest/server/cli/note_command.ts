import * as v from "valibot";
import { type Note, sortNotes } from "../../reports/query/notes.ts";
import { toDay } from "../../reports/query/days.ts";
import type { Variables } from "./clean_value.ts";
import { buildUsage, type Command, readFlags } from "./flags.ts";
import { changeKeysFile, type FileKey, readKeysFile } from "./keys_file.ts";
import { ServerFault } from "../ops/server_fault.ts";

const COMMAND = {
  name: "note",
  usage: `Usage: vendor-ingest note TEXT --keys-file FILE [options]
       vendor-ingest note list --keys-file FILE [options]
       vendor-ingest note delete TEXT --keys-file FILE [options]

Notes what changed on a day, such as "new banner": it stands in the charts of the reports. Notes are in the keys file,
with the settings of their key; a server that was started with it shows them within a second.

  list     shows the notes
  delete   removes those with this text`,
  flags: {
    "keys-file": { value: "FILE", schema: v.string(), help: "JSON file with the keys" },
    key: {
      value: "KEY",
      schema: v.string(),
      isCommandLineOnly: true,
      help: "key of the note, or its name (default: the only one)",
    },
    site: { value: "ORIGIN", schema: v.string(), isCommandLineOnly: true, help: "its site (default: all of the key)" },
    at: {
      value: "DAY",
      schema: v.string(),
      isCommandLineOnly: true,
      help: "its day, 2026-01-31 (default: today in UTC)",
    },
  },
  forms: ["list", "TEXT", "delete TEXT"],
} satisfies Command;

/** `note`. */
export const NOTE: Command = COMMAND;

/** Words that mean something else than a note of one word. */
const MISTAKES: readonly string[] = ["help", "version", "add", "new", "show", "ls", "remove", "rm"];

/** The choice of the flags. */
interface Chosen {
  readonly key?: string | undefined;
  readonly site?: string | undefined;
  readonly at?: string | undefined;
}

/**
 * Adds, lists and deletes notes of a keys file; returns what is to be printed.
 *
 * @throws {ServerFault} With what is wrong. Never repeats a key.
 */
export function runNoteCommand(
  args: readonly string[],
  { variables, now }: { readonly variables: Variables; readonly now: number },
): string {
  const given = readFlags(COMMAND, { args, variables });
  if (typeof given === "string") return buildUsage(COMMAND);
  const { values: { "keys-file": path, ...chosen }, words: [first = "", text] } = given;
  if (!path) throw new ServerFault("there is no file: name one with --keys-file FILE");
  if (text === undefined && MISTAKES.includes(first)) {
    throw new ServerFault(`note ${first} is no command: see note --help; a note of this word needs another beside it`);
  }
  if (first === "delete" && text === undefined) throw new ServerFault("name the text of the note to delete");
  if (text !== undefined) return deleteNotes(path, text, chosen);
  return first === "list"
    ? listNotes(path, chosen)
    : addNote(path, { text: first, ...chosen, at: chosen.at ?? toDay(now) });
}

function addNote(
  path: string,
  { text, site, at, key }: Chosen & { readonly text: string; readonly at: string },
): string {
  const note: Note = { day: at, text, ...(site !== undefined && { site }) };
  changeNotes(path, key, (notes, { origins }) => {
    if (site !== undefined && origins !== "any" && !origins.includes(site)) {
      throw new ServerFault("the key has no such site: see keys list");
    }
    return [...notes, note];
  });
  return `noted on ${at}`;
}

function deleteNotes(path: string, text: string, { key, site, at }: Chosen): string {
  const isMeant = (note: Note): boolean =>
    note.text === text && (site === undefined || note.site === site) && (at === undefined || note.day === at);
  let count = 0;
  changeNotes(path, key, (notes) => {
    count = notes.filter(isMeant).length;
    if (count === 0) throw new ServerFault("there is no such note: see note list");
    return notes.filter((note) => !isMeant(note));
  });
  return count === 1 ? "1 note is deleted" : `${count} notes are deleted`;
}

function listNotes(path: string, { key, site, at }: Chosen): string {
  const { notes = [] } = findKey(readKeysFile(path), key);
  const ofSite = (note: Note): boolean => site === undefined || (note.site ?? site) === site;
  const ofDay = (note: Note): boolean => at === undefined || note.day === at;
  const rows = sortNotes(notes).filter((note) => ofSite(note) && ofDay(note));
  if (rows.length === 0) return "there are no notes";
  return rows.map((note) => `${note.day}  ${note.text}${note.site === undefined ? "" : `  (${note.site})`}`).join("\n");
}

function changeNotes(
  path: string,
  key: string | undefined,
  change: (notes: readonly Note[], key: FileKey) => readonly Note[],
): void {
  changeKeysFile(path, (keys) => {
    const found = findKey(keys, key);
    const { notes = [], ...others } = found;
    const changed = change(notes, found);
    const next: FileKey = { ...others, ...(changed.length > 0 && { notes: changed }) };
    return keys.map((one) => one === found ? next : one);
  });
}

function findKey(keys: readonly FileKey[], key: string | undefined): FileKey {
  const active = keys.filter(({ revokedAt }) => revokedAt === undefined);
  const [found, ...others] = key === undefined
    ? active
    : active.filter(({ name, apiKey }) => [name, apiKey].includes(key));
  if (found === undefined) throw new ServerFault("there is no such key: see keys list");
  if (others.length > 0) throw new ServerFault("there are several keys: name one with --key KEY");
  return found;
}
