import { createHash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { cleanLabel } from "../../events/place.ts";
import type { StoredEvent } from "../../events/stored_event.ts";
import { readScalars } from "../../events/scalars.ts";
import { createVisitReader, isTagged, type TrafficSource, VISIT_KINDS } from "../../events/visit_facts.ts";
import { inTransaction } from "./sqlite_erasures.ts";
import { VALUE_KINDS } from "./sqlite_facts_schema.ts";
import { addToVisit, type Mark, type Visit, type VisitFact } from "./sqlite_visit.ts";

/** Makes the facts of a database, and keeps them as its events are. */
export interface Facts {
  /** Takes some of the events that came since it was last called, in a transaction of its own. Returns whether there are more. */
  follow(): boolean;
  /**
   * Counts visits anew that have lost events; before that, what is counted of them is too much. Returns whether all are
   * right: a long one that loses or gets events meanwhile isn't.
   */
  recount(): boolean;
  /** Returns how many events have facts, and how many are there. */
  progress(): FactsProgress;
  /** Deletes texts that no event has by now. Call it once events are deleted, before the deletion is reported. */
  forgetTexts(): void;
}

/** How far the facts are. */
export interface FactsProgress {
  /** Number of the last event that has facts. */
  readonly taken: number;
  /** Number of the last event. */
  readonly last: number;
}

/** How long events are taken in a transaction, in milliseconds: a batch waits as long for it. */
const FOLLOW_MS = 15;

/** How many events, visits and texts a transaction takes at most. */
const [FOLLOW_EVENTS, STALE_VISITS, FORGET_TEXTS] = [1000, 200, 500] as const;

/** A visit with more events is counted anew without a lock: that takes as long as it has events. */
const LONG_VISIT_EVENTS = 2000;

const NOT_TAKEN = `
  SELECT seq, api_key, event FROM events WHERE seq > (SELECT seq FROM facts_mark) ORDER BY seq LIMIT ${FOLLOW_EVENTS}
`;

const PROGRESS = "SELECT (SELECT seq FROM facts_mark) AS taken, (SELECT coalesce(max(seq), 0) FROM events) AS last";

const ADD_FACT = `
  INSERT INTO facts (scope, time, seq, tie, kind, is_arrival, name, path, source, screen, engaged, visit, visitor, user,
    violation)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
`;

const VISIT_COLUMNS = [
  ...["start", "start_tie", "is_landing", "visitor", "is_mixed", "last", "events", "views", "steps", "engaged"],
  ...["entry", "entry_time", "entry_tie", "exit", "exit_time", "exit_tie"],
  ...["tag", "tag_time", "tag_tie", "referral", "referral_time", "referral_tie"],
] as const;

const ADD_VISIT = `
  INSERT INTO visits (scope, session, ${VISIT_COLUMNS.join(", ")})
  VALUES (?, ?, ${VISIT_COLUMNS.map(() => "?").join(", ")})
`;

const UPDATE_VISIT = `UPDATE visits SET ${VISIT_COLUMNS.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`;

const FACTS_OF_VISIT = `
  SELECT time, tie, kind, is_arrival, path, facts.source AS source, screen, engaged, visitor,
    coalesce(fact_sources.source <> '', 0) AS is_tagged, coalesce(fact_sources.referrer <> '', 0) AS is_referred
  FROM facts LEFT JOIN fact_sources ON fact_sources.id = facts.source WHERE visit = ?
`;

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

/** Opens the facts of a database that has their tables. */
export function openFacts(database: DatabaseSync): Facts {
  const prepare = (sql: string): StatementSync => database.prepare(sql);
  const statements = {
    notTaken: prepare(NOT_TAKEN),
    progress: prepare(PROGRESS),
    setMark: prepare("UPDATE facts_mark SET seq = ?"),
    cuts: prepare("SELECT seq, cuts FROM facts_mark"),
    findScope: prepare("SELECT id FROM fact_scopes WHERE api_key = ? AND site = ? AND flag = ?"),
    addScope: prepare("INSERT INTO fact_scopes (api_key, site, flag, events) VALUES (?, ?, ?, 0)"),
    countScope: prepare("UPDATE fact_scopes SET events = events + ? WHERE id = ?"),
    dropScopes: prepare("DELETE FROM fact_scopes WHERE events <= 0"),
    findText: prepare("SELECT id FROM fact_texts WHERE text = ?"),
    addText: prepare("INSERT INTO fact_texts (text) VALUES (?)"),
    findSource: prepare(
      `SELECT id FROM fact_sources WHERE referrer = ? AND source = ? AND medium = ? AND campaign = ? AND term = ?
        AND content = ?`,
    ),
    addSource: prepare(
      "INSERT INTO fact_sources (referrer, source, medium, campaign, term, content) VALUES (?, ?, ?, ?, ?, ?)",
    ),
    addFact: prepare(ADD_FACT),
    addProperty: prepare("INSERT INTO fact_properties (seq, key, kind, value) VALUES (?, ?, ?, ?)"),
    findVisit: prepare("SELECT * FROM visits WHERE scope = ? AND session = ?"),
    addVisit: prepare(ADD_VISIT),
    updateVisit: prepare(UPDATE_VISIT),
    stale: prepare("SELECT visit, visits.events AS events FROM visits_stale LEFT JOIN visits ON visits.id = visit"),
    visitState: prepare(
      "SELECT (SELECT losses FROM visits_stale WHERE visit = ?) AS losses, (SELECT events FROM visits WHERE id = ?) AS events",
    ),
    dropStale: prepare("DELETE FROM visits_stale WHERE visit = ?"),
    factsOfVisit: prepare(FACTS_OF_VISIT),
    dropVisit: prepare("DELETE FROM visits WHERE id = ?"),
    dropText: prepare("DELETE FROM fact_texts WHERE id = ?"),
    dropSource: prepare("DELETE FROM fact_sources WHERE id = ?"),
  };

  function readProgress(): FactsProgress {
    const row = statements.progress.get();
    return { taken: Number(row?.taken), last: Number(row?.last) };
  }

  /** Takes the next events. The numbers of texts hold for this transaction alone: another process may delete them. */
  function take(): void {
    const findId = createIds();
    const visits = new Map<string, OpenVisit>();
    const counts = new Map<number, number>();
    const read = createVisitReader();
    const endMs = performance.now() + FOLLOW_MS;
    let last: number | undefined;
    for (const { seq, api_key, event: text } of statements.notTaken.iterate()) {
      if (last !== undefined && performance.now() >= endMs) break;
      const event: StoredEvent = JSON.parse(String(text));
      last = Number(seq);
      const { site, from, session, ...facts } = read(event);
      const scope = findId.scope(String(api_key), site, facts.flag);
      const path = findId.text(facts.path);
      const fact: VisitFact = {
        time: facts.time,
        tie: facts.tie,
        kind: VISIT_KINDS.indexOf(facts.kind),
        isArrival: facts.isArrival,
        path,
        source: findId.source(from),
        isTagged: isTagged(from),
        isReferred: from.referrer !== "",
        engaged: facts.engagedMs,
        visitor: facts.visitor === "" ? null : findId.hash(facts.visitor),
      };
      const visit = session === "" ? undefined : openVisit(visits, scope, findId.hash(session));
      if (visit !== undefined) {
        // A visit is a row before a fact names it: its number comes with its first event.
        visit.id ??= addVisit(scope, visit.session, addToVisit(undefined, fact));
        visit.visit = addToVisit(visit.visit, fact);
      }
      counts.set(scope, (counts.get(scope) ?? 0) + 1);
      statements.addFact.run(
        scope,
        fact.time,
        last,
        fact.tie,
        fact.kind,
        Number(fact.isArrival),
        findId.text(facts.name),
        path,
        fact.source,
        facts.screen,
        fact.engaged,
        visit?.id ?? null,
        fact.visitor,
        facts.user === "" ? null : findId.hash(facts.user),
        event.violation === undefined ? null : findId.text(cleanLabel(`${event.violation} ${event.name}`)),
      );
      if (facts.kind === "aggregate" || facts.kind === "pageview") continue;
      addProperties(last, event, findId.text);
    }
    for (const { id, visit } of visits.values()) {
      if (id !== undefined && visit !== undefined) statements.updateVisit.run(...toRow(visit), id);
    }
    for (const [scope, count] of counts) statements.countScope.run(count, scope);
    if (last !== undefined) statements.setMark.run(last);
  }

  function createIds(): Ids {
    const scopes = new Map<string, number>();
    const texts = new Map<string, number>();
    const sources = new Map<string, number>();
    const hashes = new Map<string, number>();
    return {
      hash: (text) => remember(hashes, text, () => hashId(text)),
      text: (text) =>
        remember(texts, text, () => findOrAdd(statements.findText.get(text), () => statements.addText.run(text))),
      scope: (...of) =>
        remember(
          scopes,
          of.join("\n"),
          () => findOrAdd(statements.findScope.get(...of), () => statements.addScope.run(...of)),
        ),
      source: ({ referrer, source, medium, campaign, term, content }) => {
        const values = [referrer, source, medium, campaign, term, content] as const;
        const key = values.join("\n");
        if (key === "\n\n\n\n\n") return 0;
        return remember(
          sources,
          key,
          () => findOrAdd(statements.findSource.get(...values), () => statements.addSource.run(...values)),
        );
      },
    };
  }

  function openVisit(visits: Map<string, OpenVisit>, scope: number, session: number): OpenVisit {
    const key = `${scope} ${session}`;
    const known = visits.get(key);
    if (known !== undefined) return known;
    const row = statements.findVisit.get(scope, session);
    const visit: OpenVisit = {
      session,
      ...(row !== undefined && { id: Number(row.id), visit: readVisit(row) }),
    };
    visits.set(key, visit);
    return visit;
  }

  function addVisit(scope: number, session: number, visit: Visit): number {
    return Number(statements.addVisit.run(scope, session, ...toRow(visit)).lastInsertRowid);
  }

  function addProperties(seq: number, event: StoredEvent, findText: Ids["text"]): void {
    for (const [key, value] of readScalars(event.properties)) {
      const id = findText(key);
      if (typeof value === "string") statements.addProperty.run(seq, id, VALUE_KINDS.text, findText(value));
      else if (typeof value === "number") statements.addProperty.run(seq, id, VALUE_KINDS.number, value);
      else if (value === null) statements.addProperty.run(seq, id, VALUE_KINDS.null, 0);
      else statements.addProperty.run(seq, id, VALUE_KINDS.boolean, Number(value));
    }
  }

  function recount(): boolean {
    const stale = statements.stale.all();
    if (stale.length === 0) return true;
    const isLong = ({ events }: Row): boolean => Number(events) > LONG_VISIT_EVENTS;
    const short = stale.filter((row) => !isLong(row)).map(({ visit }) => Number(visit));
    for (let index = 0; index < short.length; index += STALE_VISITS) {
      inTransaction(database, () => {
        for (const visit of short.slice(index, index + STALE_VISITS)) putCounted(visit, countVisit(visit));
      });
    }
    inTransaction(database, () => statements.dropScopes.run());
    return stale.filter(isLong).map(({ visit }) => recountLong(Number(visit))).every(Boolean);
  }

  /** Counts a visit without a lock. Returns whether it's right: it isn't if it has lost or got an event meanwhile. */
  function recountLong(visit: number): boolean {
    const readState = (): string => JSON.stringify(statements.visitState.get(visit, visit));
    // What is read in one transaction is of one moment.
    database.exec("BEGIN");
    const before = readState();
    const counted = countVisit(visit);
    database.exec("COMMIT");
    return inTransaction(database, () => {
      if (readState() !== before) return false;
      putCounted(visit, counted);
      return true;
    });
  }

  function countVisit(visit: number): Visit | undefined {
    let counted: Visit | undefined;
    for (const row of statements.factsOfVisit.iterate(visit)) counted = addToVisit(counted, readFact(row));
    return counted;
  }

  function putCounted(visit: number, counted: Visit | undefined): void {
    if (counted === undefined) statements.dropVisit.run(visit);
    else statements.updateVisit.run(...toRow(counted), visit);
    statements.dropStale.run(visit);
  }

  /**
   * Deletes texts, or sources, that nothing has. It looks for them without a lock, and once more, with the lock, at what came
   * meanwhile.
   */
  function forget({ unused, since, drop }: Forgotten): void {
    const begin = statements.cuts.get();
    let ids = unused.all().map(({ id }) => Number(id));
    let seq = Number(begin?.seq);
    while (ids.length > 0) {
      const isRight = inTransaction(database, () => {
        const now = statements.cuts.get();
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

  return {
    follow: () => {
      const { taken, last } = readProgress();
      if (taken >= last) return false;
      inTransaction(database, take);
      const next = readProgress();
      return next.taken < next.last;
    },
    recount,
    progress: readProgress,
    forgetTexts: () => {
      // A visit that isn't right may have the number of a text that is to be given to another.
      while (!recount());
      forget({ unused: prepare(UNUSED_TEXTS), since: prepare(TEXTS_SINCE), drop: statements.dropText });
      forget({ unused: prepare(UNUSED_SOURCES), since: prepare(SOURCES_SINCE), drop: statements.dropSource });
    },
  };
}

/** What is deleted of what nothing has. */
interface Forgotten {
  /** Returns what nothing has. */
  readonly unused: StatementSync;
  /** Returns what the facts have that came after one. */
  readonly since: StatementSync;
  /** Deletes one. */
  readonly drop: StatementSync;
}

/** Finds numbers, and gives new ones. */
interface Ids {
  hash(text: string): number;
  text(text: string): number;
  scope(apiKey: string, site: string, flag: string): number;
  source(from: TrafficSource): number;
}

/** A visit that events of the transaction belong to. */
interface OpenVisit {
  readonly session: number;
  id?: number;
  visit?: Visit;
}

function remember(known: Map<string, number>, key: string, find: () => number): number {
  const id = known.get(key) ?? find();
  known.set(key, id);
  return id;
}

function findOrAdd(
  row: Readonly<Record<string, unknown>> | undefined,
  add: () => { readonly lastInsertRowid: number | bigint },
): number {
  return row === undefined ? Number(add().lastInsertRowid) : Number(row.id);
}

/** Returns 53 bits that stand for an id: two of a million share them with a chance of one in 18,000. */
export function hashId(text: string): number {
  const bytes = createHash("sha256").update(text).digest();
  return bytes.readUInt32BE(0) * 2 ** 21 + (bytes.readUInt32BE(4) >>> 11);
}

type Row = Readonly<Record<string, unknown>>;

function readFact(row: Row): VisitFact {
  return {
    time: Number(row.time),
    tie: Number(row.tie),
    kind: Number(row.kind),
    isArrival: Number(row.is_arrival) === 1,
    path: Number(row.path),
    source: Number(row.source),
    isTagged: Number(row.is_tagged) === 1,
    isReferred: Number(row.is_referred) === 1,
    engaged: Number(row.engaged),
    visitor: row.visitor === null ? null : Number(row.visitor),
  };
}

function readVisit(row: Row): Visit {
  return {
    start: { time: Number(row.start), tie: Number(row.start_tie), value: 0 },
    isLanding: Number(row.is_landing) === 1,
    visitor: row.visitor === null ? null : Number(row.visitor),
    isMixed: Number(row.is_mixed) === 1,
    last: Number(row.last),
    events: Number(row.events),
    views: Number(row.views),
    steps: Number(row.steps),
    engaged: Number(row.engaged),
    entry: readMark(row, "entry"),
    exit: readMark(row, "exit"),
    tag: readMark(row, "tag"),
    referral: readMark(row, "referral"),
  };
}

function readMark(row: Row, name: string): Mark | undefined {
  if (row[name] === null) return undefined;
  return { value: Number(row[name]), time: Number(row[`${name}_time`]), tie: Number(row[`${name}_tie`]) };
}

/** Writes a visit in the order of its columns. */
function toRow(visit: Visit): readonly (number | null)[] {
  const { start, isLanding, visitor, isMixed, last, events, views, steps, engaged, entry, exit, tag, referral } = visit;
  return [
    ...[start.time, start.tie, Number(isLanding), visitor, Number(isMixed), last, events, views, steps, engaged],
    ...[entry, exit, tag, referral].flatMap((mark) => [mark?.value ?? null, mark?.time ?? null, mark?.tie ?? null]),
  ];
}
