/**
 * The tables of facts, which the views of the reports count: small integers beside the events, made of them by a follower
 * that may begin anew at any time.
 *
 * @module
 */

import { LONG_SESSION_MS } from "../../events/visit_facts.ts";

/**
 * The tables, and what keeps them right when an event is deleted, by whichever process.
 *
 * - `fact_scopes`: the events of a site of a key that have the same flag, empty for none, and how many there are.
 * - `fact_texts`: texts by number, of names, paths, keys and values of properties, and violations.
 * - `fact_sources`: where visits came from, by number; 0 stands for nowhere.
 * - `facts`: one row an event, by site and time. Visitor and user are 53 bits of a hash.
 * - `fact_properties`: the scalar properties of steps.
 * - `visits`: one row a session, `session` being 53 bits of a hash: sums, and the first and the last of what it has.
 *   `is_mixed` where its events are of several visitors.
 * - `visits_stale`: visits that have lost events, and how often, until they are counted anew.
 * - `facts_mark`: the last event that was taken. Whoever is given the number of a deleted event is taken again; `cuts` says
 *   how often the mark went back.
 */
export const FACTS_SCHEMA: string = `
  CREATE TABLE fact_scopes (
    id INTEGER PRIMARY KEY,
    api_key TEXT NOT NULL,
    site TEXT NOT NULL,
    flag TEXT NOT NULL,
    events INTEGER NOT NULL,
    UNIQUE (api_key, site, flag)
  ) STRICT;
  CREATE TABLE fact_texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE fact_sources (
    id INTEGER PRIMARY KEY,
    referrer TEXT NOT NULL,
    source TEXT NOT NULL,
    medium TEXT NOT NULL,
    campaign TEXT NOT NULL,
    term TEXT NOT NULL,
    content TEXT NOT NULL,
    UNIQUE (referrer, source, medium, campaign, term, content)
  ) STRICT;
  CREATE TABLE facts (
    scope INTEGER NOT NULL,
    time INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    tie TEXT NOT NULL,
    kind INTEGER NOT NULL,
    is_arrival INTEGER NOT NULL,
    name INTEGER NOT NULL,
    path INTEGER NOT NULL,
    source INTEGER NOT NULL,
    screen INTEGER NOT NULL,
    engaged INTEGER NOT NULL,
    visit INTEGER,
    visitor INTEGER,
    user INTEGER,
    violation INTEGER,
    PRIMARY KEY (scope, time, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX facts_by_seq ON facts (seq);
  CREATE INDEX facts_by_visit ON facts (visit) WHERE visit IS NOT NULL;
  CREATE INDEX facts_alone ON facts (scope, time, kind, visitor, visit) WHERE visit IS NULL;
  CREATE INDEX facts_signed_in ON facts (scope, time, user) WHERE user IS NOT NULL;
  CREATE TABLE fact_properties (
    seq INTEGER NOT NULL,
    key INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    value ANY NOT NULL,
    PRIMARY KEY (seq, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE visits (
    id INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL,
    session INTEGER NOT NULL,
    start INTEGER NOT NULL,
    start_tie TEXT NOT NULL,
    is_landing INTEGER NOT NULL,
    visitor INTEGER,
    is_mixed INTEGER NOT NULL,
    last INTEGER NOT NULL,
    events INTEGER NOT NULL,
    views INTEGER NOT NULL,
    steps INTEGER NOT NULL,
    engaged INTEGER NOT NULL,
    entry INTEGER,
    entry_time INTEGER,
    entry_tie TEXT,
    exit INTEGER,
    exit_time INTEGER,
    exit_tie TEXT,
    tag INTEGER,
    tag_time INTEGER,
    tag_tie TEXT,
    referral INTEGER,
    referral_time INTEGER,
    referral_tie TEXT,
    UNIQUE (scope, session)
  ) STRICT;
  CREATE INDEX visits_by_start ON visits
    (scope, start, last, is_landing, is_mixed, visitor, events, views, steps, engaged);
  CREATE INDEX visits_long ON visits (scope, start, last) WHERE last - start > ${LONG_SESSION_MS};
  CREATE TABLE visits_stale (visit INTEGER PRIMARY KEY, losses INTEGER NOT NULL) STRICT;
  CREATE TABLE facts_mark (seq INTEGER NOT NULL, cuts INTEGER NOT NULL) STRICT;
  INSERT INTO facts_mark (seq, cuts) VALUES (0, 0);
  CREATE TRIGGER facts_after_delete AFTER DELETE ON events BEGIN
    INSERT INTO visits_stale SELECT visit, 1 FROM facts WHERE seq = OLD.seq AND visit IS NOT NULL
      ON CONFLICT (visit) DO UPDATE SET losses = losses + 1;
    UPDATE fact_scopes SET events = events - 1 WHERE id = (SELECT scope FROM facts WHERE seq = OLD.seq);
    DELETE FROM fact_properties WHERE seq = OLD.seq;
    DELETE FROM facts WHERE seq = OLD.seq;
    UPDATE facts_mark SET seq = (SELECT coalesce(max(seq), 0) FROM events), cuts = cuts + 1
      WHERE seq > (SELECT coalesce(max(seq), 0) FROM events);
  END;
`;

/** How the scalar values of properties are stored: a text by its number. */
export const VALUE_KINDS = { text: 0, number: 1, boolean: 2, null: 3 } as const;
