import { randomBytes } from "node:crypto";
import * as v from "valibot";
import type { Variables } from "./clean_value.ts";
import { buildUsage, type Command, readFlags } from "./flags.ts";
import { changeKeysFile, type FileKey, readKeysFile } from "./keys_file.ts";
import { ServerFault } from "../ops/server_fault.ts";
import { SWITCH } from "./shared_flags.ts";

const COMMAND = {
  name: "keys",
  usage: `Usage: vendor-ingest keys new NAME SITES [--reports] --keys-file FILE
       vendor-ingest keys list --keys-file FILE
       vendor-ingest keys revoke NAME --keys-file FILE

Changes the file of --keys-file, which can also be the variable INGEST_KEYS_FILE. A server that was started with it
takes the change over within a second.

  new      adds a random key for SITES, origins split by commas, or any; makes the file when it is missing
  list     shows the keys, but no secrets
  revoke   refuses the key from now on, and its reports`,
  flags: {
    "keys-file": { value: "FILE", schema: v.string(), help: "JSON file with the keys" },
    reports: { ...SWITCH, help: "new: also makes a secret that opens the reports of the key" },
  },
  forms: ["new NAME SITES", "list", "revoke NAME"],
  isVerbatim: true,
} satisfies Command;

/** `keys`. */
export const KEYS: Command = COMMAND;

/** Random bytes of a key. */
const KEY_BYTES = 16;

/**
 * Makes, lists and revokes keys of a file; returns what is to be printed.
 *
 * @throws {ServerFault} With what is wrong. Never repeats a key.
 */
export function runKeysCommand(args: readonly string[], variables: Variables): string {
  const given = readFlags(COMMAND, { args, variables });
  if (typeof given === "string") return buildUsage(COMMAND);
  const { values: { "keys-file": path, reports: hasReports = false }, words: [action, name = "", sites = ""] } = given;
  if (!path) throw new ServerFault("there is no file: name one with --keys-file FILE");
  if (action === "list") return listKeys(readKeysFile(path));
  return action === "revoke" ? revokeKey(path, name) : addKey(path, { name, sites, hasReports });
}

/** What a new key is made of. */
interface NewKey {
  readonly name: string;
  readonly sites: string;
  readonly hasReports: boolean;
}

function addKey(path: string, { name, sites, hasReports }: NewKey): string {
  const key: FileKey = {
    apiKey: `pk_${random()}`,
    name,
    origins: sites === "any" ? "any" : sites.split(","),
    ...(hasReports && { secretKey: `sk_${random()}` }),
  };
  changeKeysFile(path, (keys) => {
    if (keys.some((other) => other.name === name)) throw new ServerFault(`there is a key ${name}: take another name`);
    return [...keys, key];
  });
  return [`key            ${key.apiKey}`, ...(key.secretKey ? [`report secret  ${key.secretKey}`] : [])].join("\n");
}

function revokeKey(path: string, name: string): string {
  changeKeysFile(path, (keys) => {
    const found = keys.find((key) => key.name === name);
    if (found === undefined) throw new ServerFault(`there is no key ${name}: see keys list`);
    if (found.revokedAt !== undefined) throw new ServerFault(`${name} was revoked at ${found.revokedAt}`);
    return keys.map((key) => key === found ? { ...key, revokedAt: new Date().toISOString() } : key);
  });
  return `${name} is revoked`;
}

function listKeys(keys: readonly FileKey[]): string {
  const rows = [
    ["name", "key", "state", "reports", "sites"],
    ...keys.map(({ name, apiKey, revokedAt, secretKey, origins }) => [
      name,
      apiKey,
      revokedAt === undefined ? "active" : `revoked ${revokedAt}`,
      secretKey === undefined ? "no" : "yes",
      origins === "any" ? "any" : origins.join(","),
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()).join("\n");
}

function random(): string {
  return randomBytes(KEY_BYTES).toString("hex");
}
