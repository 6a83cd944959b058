import type { DuckDbConnection } from "./duckdb.ts";

/** Answers that several queries of a connection need. They are kept for as long as the events stay the same. */
export interface SharedAnswers {
  /** Does work in a transaction. `version` is what tells the events of one moment from those of another. */
  within<R>(version: string, work: () => Promise<R>): Promise<R>;
  /** Runs a query, unless its answer is there; returns the table with its rows. Call it within work. */
  share(sql: string): Promise<string>;
}

/** Most answers: a view asks for some ten, each of a few bytes a session at most. */
const MAX_ANSWERS = 32;

/** Creates the answers of a connection; there is none. */
export function createSharedAnswers({ select, atOneMoment }: DuckDbConnection): SharedAnswers {
  let answers = new Map<string, Promise<string>>();
  let known: string | undefined;

  async function ask(sql: string, table: string): Promise<string> {
    // Whatever is left of another one goes.
    await select(`CREATE OR REPLACE TEMP TABLE ${table} AS ${sql}`);
    return table;
  }

  return {
    async within(version, work) {
      try {
        return await atOneMoment(async () => {
          const [row] = await select(version);
          const now = String(row?.version);
          if (now !== known || answers.size > MAX_ANSWERS) answers = new Map();
          known = now;
          return await work();
        });
      } catch (error) {
        // What the transaction made has gone with it.
        answers = new Map();
        throw error;
      }
    },
    share(sql) {
      const answer = answers.get(sql) ?? ask(sql, `shared_${answers.size}`);
      answers.set(sql, answer);
      return answer;
    },
  };
}
