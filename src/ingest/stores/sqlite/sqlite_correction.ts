import type { Erasure } from "../../events/erasures.ts";
import { type Blocks, createPredicate, type EventPredicate, openBlocks } from "./sqlite_blocks.ts";
import type { SqliteStore } from "./sqlite_store.ts";

/** A correction under way. */
interface Work {
  readonly erasures: readonly Erasure[];
  readonly blocks: Blocks;
  readonly isSelected: EventPredicate;
  /** Place of the last event that was looked at. */
  readonly after: number;
}

/**
 * Creates the function that deletes, a block at a time, what records name that is in a store all the same: it may be a
 * restored backup, or who erased may have died. It returns whether there is more to do.
 */
export function createCorrection(): (store: SqliteStore) => boolean {
  let work: Work | undefined;

  function begin(store: SqliteStore): Work | undefined {
    const erasures = store.erasures.listPending();
    if (erasures.length === 0) return undefined;
    return { erasures, blocks: openBlocks(store), isSelected: createPredicate({ erasures }), after: 0 };
  }

  return (store) => {
    const current = work ?? begin(store);
    work = current;
    if (current === undefined) return false;
    const { last, isLast } = current.blocks.remove(current.after, current.isSelected);
    if (isLast) {
      store.facts.forgetTexts();
      store.erasures.finish(current.erasures);
    }
    work = isLast ? undefined : { ...current, after: last };
    return true;
  };
}
