import type { DatabaseSync, StatementSync } from "node:sqlite";
import { cleanLabel } from "../../../events/place.ts";
import { readScalars } from "../../../events/scalars.ts";
import type { StoredEvent } from "../../../events/stored_event.ts";
import { createVisitReader, isTagged, type TrafficSource, VISIT_KINDS } from "../../../events/visit_facts.ts";
import { VALUE_KINDS } from "../sqlite_facts_schema.ts";
import { readPieces } from "../sqlite_pieces.ts";
import { hashId } from "./hash_id.ts";
import { addToVisit, type Visit, type VisitFact } from "./visit.ts";
import { readVisit, toRow, UPDATE_VISIT, VISIT_COLUMNS } from "./visit_row.ts";

/** How long events are taken in a transaction, in milliseconds: a batch waits as long for it. */
const FOLLOW_MS = 15;

/** How many events a transaction takes at most. */
const FOLLOW_EVENTS = 1000;

/** The parts of URLs and the hashes of ids are remembered for events of so many UTF-16 units: they take less than those. */
const REMEMBERED_UNITS = 8 * 1024 * 1024;

const NOT_TAKEN = `
  SELECT seq, api_key, event FROM events WHERE seq > ? ORDER BY seq LIMIT ?
`;

const ADD_FACT = `
  INSERT INTO facts (scope, time, seq, tie, kind, is_arrival, name, path, source, screen, engaged, visit, visitor, user,
    violation)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
`;

const ADD_VISIT = `
  INSERT INTO visits (scope, session, ${VISIT_COLUMNS.join(", ")})
  VALUES (?, ?, ${VISIT_COLUMNS.map(() => "?").join(", ")})
`;

/** Prepares what takes the next events, within a transaction of the caller. */
export function prepareTake(database: DatabaseSync): () => void {
  const prepare = (sql: string): StatementSync => database.prepare(sql);
  const statements = {
    notTaken: prepare(NOT_TAKEN),
    mark: prepare("SELECT seq FROM facts_mark"),
    setMark: prepare("UPDATE facts_mark SET seq = ?"),
    findScope: prepare("SELECT id FROM fact_scopes WHERE api_key = ? AND site = ? AND flag = ?"),
    addScope: prepare("INSERT INTO fact_scopes (api_key, site, flag, events) VALUES (?, ?, ?, 0)"),
    countScope: prepare("UPDATE fact_scopes SET events = events + ? WHERE id = ?"),
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
  };

  // What depends on nothing but the text is remembered for longer than a transaction.
  const hashes = new Map<string, number>();
  let read = createVisitReader();
  let units = 0;

  function forgetSometimes(): void {
    if (units < REMEMBERED_UNITS) return;
    hashes.clear();
    read = createVisitReader();
    units = 0;
  }

  function createIds(): Ids {
    const scopes = new Map<string, number>();
    const texts = new Map<string, number>();
    const sources = new Map<string, number>();
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

  return () => {
    // The numbers of texts hold for this transaction alone: another process may delete them.
    const findId = createIds();
    forgetSometimes();
    const visits = new Map<string, OpenVisit>();
    const counts = new Map<number, number>();
    const endMs = performance.now() + FOLLOW_MS;
    const mark = Number(statements.mark.get()?.seq);
    const notTaken = readPieces(mark, (after, most) => statements.notTaken.all(after, most));
    let last: number | undefined;
    let taken = 0;
    for (const { seq, api_key, event: text } of notTaken) {
      if (taken === FOLLOW_EVENTS || (taken > 0 && performance.now() >= endMs)) break;
      taken += 1;
      const event: StoredEvent = JSON.parse(String(text));
      last = Number(seq);
      units += String(text).length;
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
        isReferred: facts.isArrival || from.referrer !== "",
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
  };
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
