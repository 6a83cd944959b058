/**
 * Records of erasures, which hold for everything that was captured before them, wherever it still waits.
 *
 * @module
 */
import { createDigest, hashKey } from "../platform/digest.ts";
import type { StoredEvent } from "./stored_event.ts";

/** A record of an erasure. It holds no id, but their hashes. */
export interface Erasure {
  /** First 32 hexadecimal digits of the SHA-256 of the publishable key. */
  readonly key: string;
  /**
   * Whose the id is: a `user`, by `userId`; an `anonymous` id, whoever was signed in; or a `visitor`, an anonymous id while
   * nobody was signed in, which is what an erasure of the user leaves of their visits.
   */
  readonly kind: "user" | "anonymous" | "visitor";
  /** First 32 hexadecimal digits of the SHA-256 of the key's hash, a line break and the id. */
  readonly id: string;
  /** ISO 8601 UTC time of the erasure: it names what was captured or received until then. */
  readonly erasedAt: string;
}

/** Whose an event is, and of when. */
export interface EventOwner {
  /** First 32 hexadecimal digits of the SHA-256 of the publishable key that it came with. */
  readonly keyHash: string;
  /** Signed-in user; null or absent for none. */
  readonly userId?: string | null | undefined;
  /** Visitor; absent from aggregates. */
  readonly anonymousId?: string | null | undefined;
  /** Time of the call in the browser. */
  readonly timestamp: string;
  /** Time of its arrival. */
  readonly receivedAt: string;
}

/** Finds the time of an erasure by the hashes of key and id; undefined where there is none. */
export type FindErasure = (key: string, kind: Erasure["kind"], id: string) => string | undefined;

/** Hashes the keys and the ids of records. */
export interface OwnerHashes {
  /** Returns the hash of a publishable key. */
  key(apiKey: string): string;
  /** Returns the hash of an id of a key, which is given by its hash. */
  id(keyHash: string, id: string): string;
}

/** Least age at which a record goes: the SDK repeats a batch for up to 7 days. */
export const MIN_KEEP_DAYS = 8;

const HASH_HEX_CHARACTERS = 32;

/** Most hashes that are remembered: neighbours in a store are mostly of the same few people. */
const MEMORY = 10_000;

/** Makes the record of an erasure. */
export async function buildErasure(
  { apiKey, kind, id }: { readonly apiKey: string; readonly kind: Erasure["kind"]; readonly id: string },
  erasedAt: string,
): Promise<Erasure> {
  const key = await hashKey(apiKey);
  const idHash = (await createDigest()(joinOwner(key, id))).slice(0, HASH_HEX_CHARACTERS);
  return { key, kind, id: idHash, erasedAt };
}

/** Creates the hashes of records where SHA-256 is at hand at once. */
export function createOwnerHashes(sha256: (text: string) => string): OwnerHashes {
  const known = new Map<string, string>();
  const hash = (text: string): string => {
    const remembered = known.get(text);
    if (remembered !== undefined) return remembered;
    const made = sha256(text).slice(0, HASH_HEX_CHARACTERS);
    if (known.size >= MEMORY) known.clear();
    known.set(text, made);
    return made;
  };
  return { key: hash, id: (keyHash, id) => hash(joinOwner(keyHash, id)) };
}

function joinOwner(keyHash: string, id: string): string {
  return `${keyHash}\n${id}`;
}

/** Returns whose a stored event is. */
export function toOwner(keyHash: string, { identity, timestamp, receivedAt }: StoredEvent): EventOwner {
  return { keyHash, userId: identity?.userId, anonymousId: identity?.anonymousId, timestamp, receivedAt };
}

/** Returns whether a record names an event: whose it is, and captured, or received, before the erasure. */
export function isErased(event: EventOwner, hashes: OwnerHashes, find: FindErasure): boolean {
  const { keyHash } = event;
  return listOwners(event).some(({ kind, id }) => {
    const erasedAt = find(keyHash, kind, hashes.id(keyHash, id));
    return erasedAt !== undefined && isBefore(event, erasedAt);
  });
}

/** Creates the function that says whether one of the records names an event, for where a SHA-256 takes its time. */
export function createErasureCheck(erasures: readonly Erasure[]): (event: EventOwner) => boolean | Promise<boolean> {
  const find = createFindErasure(erasures);
  const digest = createDigest();
  const newest = erasures.reduce((latest, { erasedAt }) => erasedAt > latest ? erasedAt : latest, "");

  async function look(event: EventOwner): Promise<boolean> {
    const { keyHash } = event;
    for (const { kind, id } of listOwners(event)) {
      const idHash = (await digest(joinOwner(keyHash, id))).slice(0, HASH_HEX_CHARACTERS);
      const erasedAt = find(keyHash, kind, idHash);
      if (erasedAt !== undefined && isBefore(event, erasedAt)) return true;
    }
    return false;
  }

  // Mostly, all that arrives is newer than the last erasure.
  return (event) => newest !== "" && isBefore(event, newest) && look(event);
}

/**
 * Returns whether an event was captured, or received, until that time. What had arrived by then was captured before,
 * wherever the visitor's clock is.
 */
export function isBefore({ timestamp, receivedAt }: EventOwner, time: string): boolean {
  return Math.min(Date.parse(timestamp), Date.parse(receivedAt)) <= Date.parse(time);
}

/** Creates the lookup of records that are in memory. */
export function createFindErasure(erasures: readonly Erasure[]): FindErasure {
  const times = new Map<string, string>();
  for (const { key, kind, id, erasedAt } of erasures) {
    const name = `${key} ${kind} ${id}`;
    const known = times.get(name);
    if (known === undefined || known < erasedAt) times.set(name, erasedAt);
  }
  return (key, kind, id) => times.get(`${key} ${kind} ${id}`);
}

function listOwners(
  { userId, anonymousId }: EventOwner,
): readonly { readonly kind: Erasure["kind"]; readonly id: string }[] {
  const hasUser = typeof userId === "string";
  return [
    ...(hasUser ? [{ kind: "user", id: userId } as const] : []),
    ...(typeof anonymousId === "string" ? [{ kind: "anonymous", id: anonymousId } as const] : []),
    ...(typeof anonymousId === "string" && !hasUser ? [{ kind: "visitor", id: anonymousId } as const] : []),
  ];
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const HASH = /^[0-9a-f]{32}$/;

/** Returns whether a text is the hash of a key, or of an id of a key. */
export function isHash(text: string): boolean {
  return HASH.test(text);
}

/** Writes records as JSON lines. */
export function formatErasures(erasures: readonly Erasure[]): string {
  return erasures.map(({ key, kind, id, erasedAt }) => `${JSON.stringify({ key, kind, id, erasedAt })}\n`).join("");
}

/**
 * Reads records from JSON lines.
 *
 * @throws {Error} For a line that is no record: the person in it would come back.
 */
export function parseErasures(text: string): readonly Erasure[] {
  return text.split("\n").flatMap((line, index) => {
    if (line === "") return [];
    const erasure = tryToParse(line);
    if (!isErasure(erasure)) throw new Error(`its line ${index + 1} is no record of an erasure`);
    return erasure;
  });
}

function tryToParse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // which is no record either
  }
}

function isErasure(value: unknown): value is Erasure {
  if (typeof value !== "object" || value === null) return false;
  const { key, kind, id, erasedAt } = value as Readonly<Record<string, unknown>>;
  return isHash(String(key)) && isHash(String(id)) && TIME.test(String(erasedAt)) &&
    (kind === "user" || kind === "anonymous" || kind === "visitor");
}
