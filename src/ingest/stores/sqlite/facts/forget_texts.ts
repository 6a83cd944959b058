import type { DatabaseSync, StatementSync } from "node:sqlite";
import { inTransaction } from "../../../platform/sqlite_lock.ts";
import { VALUE_KINDS } from "../sqlite_facts_schema.ts";

/** How many texts a transaction deletes at most. */
const FORGET_TEXTS = 500;

/** Texts that no fact uses. A visit uses only texts of its facts. */
const UNUSED_TEXTS = `
  SELECT id FROM fact_texts WHERE id NOT IN (
    SELECT name FROM facts UNION SELECT path FROM facts
    UNION SELECT violation FROM facts WHERE violation IS NOT NULL
    UNION SELECT key FROM fact_properties
    UNION SELECT value FROM fact_properties WHERE kind = ${VALUE_KINDS.text}
  )
`;

const UNUSED_SOURCES = "SELECT id FROM fact_sources WHERE id NOT IN (SELECT source FROM facts)";

/** Texts of the facts that came later. */
const TEXTS_SINCE = `
  SELECT name AS id FROM facts WHERE seq > ?1 UNION SELECT path FROM facts WHERE seq > ?1
  UNION SELECT violation FROM facts WHERE seq > ?1 AND violation IS NOT NULL
  UNION SELECT key FROM fact_properties WHERE seq > ?1
  UNION SELECT value FROM fact_properties WHERE seq > ?1 AND kind = ${VALUE_KINDS.text}
`;

const SOURCES_SINCE = "SELECT source AS id FROM facts WHERE seq > ?";

/** What is deleted of what nothing has. */
interface Forgotten {
  /** Returns what nothing has. */
  readonly unused: StatementSync;
  /** Returns what the facts have that came after one. */
  readonly since: StatementSync;
  /** Deletes one. */
  readonly drop: StatementSync;
}

/** Deletes texts and sources that nothing has. All visits have to be right. */
export function forgetTexts(database: DatabaseSync): void {
  const prepare = (sql: string): StatementSync => database.prepare(sql);
  const cuts = prepare("SELECT seq, cuts FROM facts_mark");
  const [dropText, dropSource] = [
    prepare("DELETE FROM fact_texts WHERE id = ?"),
    prepare("DELETE FROM fact_sources WHERE id = ?"),
  ];

  /**
   * Deletes texts, or sources, that nothing has. It looks for them without a lock, and once more, with the lock, at what came
   * meanwhile.
   */
  function forget({ unused, since, drop }: Forgotten): void {
    const begin = cuts.get();
    let ids = unused.all().map(({ id }) => Number(id));
    let seq = Number(begin?.seq);
    while (ids.length > 0) {
      const isRight = inTransaction(database, () => {
        const now = cuts.get();
        // A number was given anew: facts that came later may have lower numbers.
        if (now?.cuts !== begin?.cuts) return false;
        if (Number(now?.seq) > seq) {
          const used = new Set(since.all(seq).map(({ id }) => Number(id)));
          ids = ids.filter((id) => !used.has(id));
          seq = Number(now?.seq);
        }
        for (const id of ids.splice(0, FORGET_TEXTS)) drop.run(id);
        return true;
      });
      if (!isRight) return forget({ unused, since, drop });
    }
  }

  forget({ unused: prepare(UNUSED_TEXTS), since: prepare(TEXTS_SINCE), drop: dropText });
  forget({ unused: prepare(UNUSED_SOURCES), since: prepare(SOURCES_SINCE), drop: dropSource });
}
