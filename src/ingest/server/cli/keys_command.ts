import { createHash, randomBytes } from "node:crypto";
import * as v from "valibot";
import type { Variables } from "./clean_value.ts";
import { buildUsage, type Command, readFlags } from "./flags.ts";
import { listSecrets } from "../../reports/access/authenticator.ts";
import { SHARE } from "../../reports/access/sharing.ts";
import { SHARED_VIEWS } from "../../reports/views/registry.ts";
import { changeKeysFile, type FileKey, readKeysFile } from "./keys_file.ts";
import { ServerFault } from "../ops/server_fault.ts";
import { SWITCH } from "./shared_flags.ts";

const COMMAND = {
  name: "keys",
  usage: `Usage: vendor-ingest keys new NAME SITES [--reports] --keys-file FILE
       vendor-ingest keys secret NAME BACKEND --keys-file FILE
       vendor-ingest keys report NAME READER [--people] --keys-file FILE
       vendor-ingest keys share NAME LINK --site ORIGIN [--views VIEWS] --keys-file FILE
       vendor-ingest keys list --keys-file FILE
       vendor-ingest keys revoke NAME [BACKEND|READER|LINK] --keys-file FILE

Changes the file of --keys-file, which can also be the variable INGEST_KEYS_FILE. A server that was started with it
takes the change over within a second.

  new      adds a random key for SITES, origins split by commas, or any; makes the file when it is missing
  secret   adds a random secret with which BACKEND, a name of your choice, may send with the key without an Origin
  report   adds a random secret that opens the reports of the key for READER, a name of your choice, but not what single
           people did
  share    adds a link, LINK by a name of your choice, that opens some views of a site to everybody who has it
  list     shows the keys, but no secrets
  revoke   refuses the key from now on, and its reports; with another name, that secret or link alone`,
  flags: {
    "keys-file": { value: "FILE", schema: v.string(), help: "JSON file with the keys" },
    reports: { ...SWITCH, help: "new: also makes a secret that opens the reports of the key" },
    site: {
      value: "ORIGIN",
      schema: v.string(),
      isCommandLineOnly: true,
      actions: ["share"],
      help: "the site of the link",
    },
    views: {
      value: "VIEWS",
      schema: v.string(),
      isCommandLineOnly: true,
      actions: ["share"],
      default: "overview,pages,sources",
      help: "the views that it opens, split by commas",
    },
    people: { ...SWITCH, actions: ["report"], help: "it also opens what single people did" },
  },
  forms: [
    "new NAME SITES",
    "secret NAME BACKEND",
    "report NAME READER",
    "share NAME LINK",
    "list",
    "revoke NAME",
    "revoke NAME BACKEND",
  ],
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
  const {
    values: { "keys-file": path, reports: hasReports = false, people = false, site, views },
    words: [action, name = "", second],
  } = given;
  if (!path) throw new ServerFault("there is no file: name one with --keys-file FILE");
  if (action === "list") return listKeys(readKeysFile(path));
  if (second === undefined) return revokeKey(path, name);
  if (action === "new") return addKey(path, { name, sites: second, hasReports });
  if (action === "secret") return addSecret(path, { name, of: second });
  if (action === "share") return addLink(path, { name, of: second, site, views: views.split(",") });
  return action === "report"
    ? addReportSecret(path, { name, of: second, mayReadPeople: people })
    : revokeSecret(path, { name, of: second });
}

/** The parts of a new key. */
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

/** A secret, by the names of its key and of who has it. */
interface SecretName {
  readonly name: string;
  readonly of: string;
}

function addSecret(path: string, { name, of }: SecretName): string {
  const secret = `ss_${random()}`;
  changeKey(path, name, (key) => {
    checkNew(key, { name, of });
    return { ...key, sendingSecrets: { ...key.sendingSecrets, [of]: secret } };
  });
  return `sending secret  ${secret}`;
}

function addReportSecret(
  path: string,
  { mayReadPeople, ...named }: SecretName & { readonly mayReadPeople: boolean },
): string {
  const secret = `sk_${random()}`;
  changeKey(path, named.name, (key) => {
    checkNew(key, named);
    const added = { secret, ...(mayReadPeople && { mayReadPeople }) };
    return { ...key, reportSecrets: { ...key.reportSecrets, [named.of]: added } };
  });
  return `report secret  ${secret}`;
}

interface NewLink extends SecretName {
  readonly site: string | undefined;
  readonly views: readonly string[];
}

function addLink(path: string, { site, views, ...named }: NewLink): string {
  if (!site) throw new ServerFault("there is no site: name one with --site ORIGIN");
  const strange = views.find((view) => !SHARED_VIEWS.includes(view));
  if (strange !== undefined) {
    throw new ServerFault(`a link opens no view ${JSON.stringify(strange)}; there are ${SHARED_VIEWS.join(", ")}`);
  }
  const token = random();
  changeKey(path, named.name, (key) => {
    checkNew(key, named);
    if (key.origins !== "any" && !key.origins.includes(site)) {
      throw new ServerFault(`${named.name} has no site ${site}; there are ${key.origins.join(", ")}`);
    }
    if (listSecrets(key).length === 0) throw new ServerFault(`${named.name} has no reports: see keys report`);
    const hash = createHash("sha256").update(token).digest("hex");
    return { ...key, sharedLinks: { ...key.sharedLinks, [named.of]: { hash, site, views } } };
  });
  return `link  /reports?${SHARE}=${token}`;
}

/** Names of secrets and links are those of one list: `revoke` takes each kind. */
function checkNew(
  { sendingSecrets = {}, reportSecrets = {}, sharedLinks = {} }: FileKey,
  { name, of }: SecretName,
): void {
  if (![sendingSecrets, reportSecrets, sharedLinks].some((names) => Object.hasOwn(names, of))) return;
  throw new ServerFault(`${name} has a secret for ${of}: take another name, and revoke the old one later`);
}

function revokeSecret(path: string, { name, of }: SecretName): string {
  changeKey(path, name, ({ sendingSecrets = {}, reportSecrets = {}, sharedLinks = {}, ...key }) => {
    if (![sendingSecrets, reportSecrets, sharedLinks].some((names) => Object.hasOwn(names, of))) {
      throw new ServerFault(`${name} has no secret for ${of}: see keys list`);
    }
    return {
      ...key,
      ...without("sendingSecrets", sendingSecrets, of),
      ...without("reportSecrets", reportSecrets, of),
      ...without("sharedLinks", sharedLinks, of),
    };
  });
  return `the secret of ${of} is revoked`;
}

/** Leaves one of the secrets out; the field as well where it was the last one. */
function without<N extends string, S>(field: N, secrets: Readonly<Record<string, S>>, of: string) {
  const others = Object.entries(secrets).filter(([name]) => name !== of);
  return others.length === 0 ? {} : { [field]: Object.fromEntries(others) } as { readonly [F in N]: Record<string, S> };
}

function revokeKey(path: string, name: string): string {
  changeKey(path, name, (key) => ({ ...key, revokedAt: new Date().toISOString() }));
  return `${name} is revoked`;
}

function changeKey(path: string, name: string, change: (key: FileKey) => FileKey): void {
  changeKeysFile(path, (keys) => {
    const found = keys.find((key) => key.name === name);
    if (found === undefined) throw new ServerFault(`there is no key ${name}: see keys list`);
    if (found.revokedAt !== undefined) throw new ServerFault(`${name} was revoked at ${found.revokedAt}`);
    return keys.map((key) => key === found ? change(key) : key);
  });
}

function nameReader([of, { mayReadPeople }]: readonly [string, { readonly mayReadPeople?: boolean }]): string {
  return mayReadPeople ? `${of} (people)` : of;
}

function listKeys(keys: readonly FileKey[]): string {
  const rows = [
    ["name", "key", "state", "reports", "backends", "sites"],
    ...keys.map((
      { name, apiKey, revokedAt, secretKey, reportSecrets = {}, sharedLinks = {}, sendingSecrets = {}, origins },
    ) => [
      name,
      apiKey,
      revokedAt === undefined ? "active" : `revoked ${revokedAt}`,
      [
        ...(secretKey === undefined ? [] : ["yes"]),
        ...Object.entries(reportSecrets).map(nameReader),
        ...Object.keys(sharedLinks).map((link) => `${link} (link)`),
      ].join(",") || "no",
      Object.keys(sendingSecrets).join(",") || "none",
      origins === "any" ? "any" : origins.join(","),
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()).join("\n");
}

function random(): string {
  return randomBytes(KEY_BYTES).toString("hex");
}
