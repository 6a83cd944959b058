import type { DatabaseSync, StatementSync } from "node:sqlite";
import { inSnapshot, inTransaction } from "../../../platform/sqlite_lock.ts";
import { addToVisit, type Visit, type VisitFact } from "./visit.ts";
import { toRow, UPDATE_VISIT } from "./visit_row.ts";

/** How many visits a transaction counts at most. */
const STALE_VISITS = 200;

/** A visit with more events is counted anew without a lock: that takes as long as it has events. */
const LONG_VISIT_EVENTS = 2000;

const FACTS_OF_VISIT = `
  SELECT time, tie, kind, is_arrival, path, facts.source AS source, screen, engaged, visitor,
    coalesce(fact_sources.source || medium || campaign || term || content <> '', 0) AS is_tagged,
    is_arrival OR coalesce(fact_sources.referrer <> '', 0) AS is_referred
  FROM facts LEFT JOIN fact_sources ON fact_sources.id = facts.source WHERE visit = ?
`;

/** Prepares what counts visits anew that have lost events. It returns whether all are right by then. */
export function prepareRecount(database: DatabaseSync): () => boolean {
  const prepare = (sql: string): StatementSync => database.prepare(sql);
  const statements = {
    dropScopes: prepare("DELETE FROM fact_scopes WHERE events <= 0"),
    stale: prepare("SELECT visit, visits.events AS events FROM visits_stale LEFT JOIN visits ON visits.id = visit"),
    visitState: prepare(
      "SELECT (SELECT losses FROM visits_stale WHERE visit = ?) AS losses, (SELECT events FROM visits WHERE id = ?) AS events",
    ),
    dropStale: prepare("DELETE FROM visits_stale WHERE visit = ?"),
    factsOfVisit: prepare(FACTS_OF_VISIT),
    updateVisit: prepare(UPDATE_VISIT),
    dropVisit: prepare("DELETE FROM visits WHERE id = ?"),
  };

  /** Counts a visit without a lock. Returns whether it's right: it isn't if it has lost or got an event meanwhile. */
  function recountLong(visit: number): boolean {
    const readState = (): string => JSON.stringify(statements.visitState.get(visit, visit));
    const { before, counted } = inSnapshot(database, () => ({ before: readState(), counted: countVisit(visit) }));
    return inTransaction(database, () => {
      if (readState() !== before) return false;
      putCounted(visit, counted);
      return true;
    });
  }

  function countVisit(visit: number): Visit | undefined {
    let counted: Visit | undefined;
    for (const row of statements.factsOfVisit.all(visit)) counted = addToVisit(counted, readFact(row));
    return counted;
  }

  function putCounted(visit: number, counted: Visit | undefined): void {
    if (counted === undefined) statements.dropVisit.run(visit);
    else statements.updateVisit.run(...toRow(counted), visit);
    statements.dropStale.run(visit);
  }

  return () => {
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
  };
}

type Row = Readonly<Record<string, unknown>>;

function readFact(row: Row): VisitFact {
  return {
    time: Number(row.time),
    tie: String(row.tie),
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
