import { createErasureCheck, type Erasure, toOwner } from "../../../src/ingest/events/erasures.ts";
import type { KeyedEvent } from "../../../src/ingest/ports/load_target.ts";
import type { ClickHouseTarget } from "../../../src/ingest/stores/clickhouse/clickhouse_target.ts";

/** What a copy has stored, for a test. */
export interface FakeTarget {
  readonly target: ClickHouseTarget;
  readonly stored: Map<string, KeyedEvent>;
  readonly blocks: readonly number[];
  readonly erasures: readonly Erasure[];
}

/** A store that counts what it has. */
export function createFakeTarget(): FakeTarget {
  const stored = new Map<string, KeyedEvent>();
  const blocks: number[] = [];
  const erasures: Erasure[] = [];
  const pickErased = async (keyed: readonly KeyedEvent[]): Promise<readonly KeyedEvent[]> => {
    const isErased = createErasureCheck(erasures);
    const areErased = await Promise.all(keyed.map(({ keyHash, event }) => isErased(toOwner(keyHash, event))));
    return keyed.filter((_, index) => areErased[index]);
  };
  const target: ClickHouseTarget = {
    store: async (block) => {
      blocks.push(block.length);
      const erased = await pickErased(block);
      for (const keyed of block) {
        if (!erased.includes(keyed)) stored.set(`${keyed.keyHash} ${keyed.event.id}`, keyed);
      }
      return { unfit: [], erased: erased.length };
    },
    keepErasures: (more) => Promise.resolve(void erasures.push(...more)),
    correct: async () => {
      const erased = await pickErased([...stored.values()]);
      for (const { keyHash, event } of erased) stored.delete(`${keyHash} ${event.id}`);
      return erased.length;
    },
    count: (keyHash) => Promise.resolve([...stored.values()].filter((keyed) => keyed.keyHash === keyHash).length),
    close: () => Promise.resolve(),
  };
  return { target, stored, blocks, erasures };
}
