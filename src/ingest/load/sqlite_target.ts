import { hashKey } from "../keys/digest.ts";
import { monthOf } from "../sinks/sink.ts";
import type { KeyedEvent, LoadTarget, UnfitEvent } from "../sinks/load_target.ts";
import { createSqliteSink, type SqliteSink, type SqliteSinkOptions } from "../sinks/sqlite/sqlite_sink.ts";

/** What {@linkcode createSqliteTarget} takes. */
export interface SqliteTargetOptions extends SqliteSinkOptions {
  /**
   * The publishable keys whose events are stored. The stream names keys by their hashes, the database by themselves: events
   * of other keys go to the dead letters.
   */
  readonly apiKeys: readonly string[];
}

/** Most events that are stored in one go: a commit holds up whoever else writes. */
const BATCH_EVENTS = 2000;

/**
 * Opens a SQLite database and creates the target that stores there, as the SQLite sink does. An ingest may use the same
 * file at the same time.
 *
 * @example
 * ```ts
 * import { createLoader, createSqliteTarget, type Loader } from "@vendor/sdk/ingest/load";
 *
 * export async function startLoader(): Promise<Loader> {
 *   const target = await createSqliteTarget({ path: "events.db", apiKeys: ["pk_live_1"] });
 *   return await createLoader({ servers: ["nats-1:4222", "nats-2:4222"], target });
 * }
 * ```
 *
 * @throws {Error} Where there is no `node:sqlite`, and for a path that can't be written or holds something else.
 */
export async function createSqliteTarget({ path, apiKeys }: SqliteTargetOptions): Promise<LoadTarget> {
  return await createTarget(await createSqliteSink({ path }), apiKeys);
}

/** Creates the target that stores through a sink. */
export async function createTarget(
  sink: Pick<SqliteSink, "store" | "close">,
  apiKeys: readonly string[],
): Promise<LoadTarget> {
  const keys = new Map(await Promise.all(apiKeys.map(async (apiKey) => [await hashKey(apiKey), apiKey] as const)));

  return {
    async store(block) {
      const unfit: UnfitEvent[] = [];
      let erased = 0;
      const known: KeyedEvent[] = [];
      for (const [index, keyed] of block.entries()) {
        if (keys.has(keyed.keyHash)) known.push(keyed);
        else unfit.push({ index, reason: `no key has the hash ${keyed.keyHash}` });
      }
      // The sink counts a batch's pageviews in the month of its arrival.
      const groups = Map.groupBy(known, ({ keyHash, event }) => `${keyHash} ${monthOf(event.receivedAt)}`);
      for (const group of groups.values()) {
        const apiKey = keys.get(group[0]?.keyHash ?? "") ?? "";
        for (let first = 0; first < group.length; first += BATCH_EVENTS) {
          const events = group.slice(first, first + BATCH_EVENTS).map(({ event }) => event);
          const result = await sink.store({ apiKey, events });
          erased += result.erased ?? 0;
        }
      }
      return { unfit, erased };
    },
    close: () => sink.close(),
  };
}
