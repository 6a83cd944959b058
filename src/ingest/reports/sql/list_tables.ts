import type { ConvertedList, CountedEvent } from "../../ports/reader.ts";
import { type ConditionOptions, LANDING_PAGE, writeEventLabel, writePoint, writeWorth } from "./conditions.ts";
import type { Dialect } from "./engine.ts";
import { writeSum } from "./rows.ts";
import type { SourceLabels } from "./source_labels.ts";

/** What the tables of a list are made of. */
interface ListParts {
  readonly quote: Dialect["quote"];
  readonly labels: SourceLabels;
  /** All sessions of the site. */
  readonly everySession: string;
  /** Condition of an event of a session that the filters of events choose. */
  readonly isOfSession: string;
}

/**
 * Defines the tables of a list, all with the `label` of its rows: `listed_events` and `listed_sessions` are those of them that the
 * filters choose, and `listed_visits` the pairs of a row and a session, each once, and once more for a page that the session ends
 * with. Of visitors' first sessions, `first_sessions` has the labels, and the listed ones have their own.
 */
export function defineList(
  list: ConvertedList,
  { quote, labels, everySession, isOfSession }: ListParts,
): readonly string[] {
  const ofSessions = "listed_visits AS (SELECT label, session_hash AS visit, 1 = 0 AS is_exit FROM listed_sessions)";
  switch (list.list) {
    case "pages":
      return [`listed_visits AS (
        SELECT DISTINCT page AS label, visit, 1 = 0 AS is_exit FROM chosen_events WHERE is_view AND visit <> 0
        UNION ALL
        SELECT last_page AS label, session_hash AS visit, 1 = 1 AS is_exit FROM chosen_sessions WHERE views > 0
      )`];
    case "values":
      return [
        `listed_events AS (
          SELECT *, JSONExtractRaw(scalars, ${quote(list.key)}) AS label FROM chosen_events
          WHERE NOT is_view AND name = ${quote(list.step)} AND scalars <> ''
        )`,
        "listed_visits AS (SELECT DISTINCT label, visit, 1 = 0 AS is_exit FROM listed_events WHERE visit <> 0)",
      ];
    case "audience": {
      const label = `${writeEventLabel(list.by)} AS label`;
      return [
        `listed_events AS (SELECT *, ${label} FROM chosen_events WHERE is_full)`,
        `listed_sessions AS (
          SELECT s.*, label FROM chosen_sessions AS s
          INNER JOIN (SELECT DISTINCT ${label}, session_hash AS labelled FROM nearby_events WHERE ${isOfSession}) AS l
          ON s.session_hash = l.labelled
        )`,
        ofSessions,
      ];
    }
    case "sources": {
      const [ofEvent, ofSession] = list.by === "landing"
        ? ["page", LANDING_PAGE]
        : [labels.ofEvent(list.by), `session_${list.by}`];
      const own = [
        `listed_events AS (SELECT *, ${ofEvent} AS label FROM chosen_events WHERE is_arrival)`,
        `listed_sessions AS (SELECT *, ${ofSession} AS label FROM chosen_sessions)`,
      ];
      if (list.of === "session") return [...own, ofSessions];
      return [
        ...own,
        `first_sessions AS (
          SELECT session_visitor AS first_visitor, argMin(${ofSession}, first_moment) AS first_label
          FROM ${everySession} AS a WHERE session_visitor <> 0 GROUP BY session_visitor
        )`,
        `listed_visits AS (
          SELECT ${writeFirstLabel("s.label")} AS label, s.session_hash AS visit, 1 = 0 AS is_exit
          FROM listed_sessions AS s LEFT JOIN first_sessions AS f ON s.session_visitor = f.first_visitor
        )`,
      ];
    }
  }
}

/** Writes the label of a visitor's first session. What has no visitor, or one without a session, stands under its own label. */
export function writeFirstLabel(own: string): string {
  return `if(coalesce(first_visitor, 0) <> 0, first_label, ${own})`;
}

/** Defines `conversions`: how often the sessions of each row of a list reach a goal, what that is worth, and the exits without it. */
export function defineConversions(goal: CountedEvent, options: ConditionOptions): readonly string[] {
  return [
    `goal_visits AS (
      SELECT visit, count() AS times, ${writeSum(writeWorth(goal, options.dialect))} AS worth
      FROM nearby_events WHERE visit <> 0 AND ${writePoint(goal.event, options)} GROUP BY visit
    )`,
    `conversions AS (
      SELECT label, countIf(NOT is_exit) AS sessions, countIf(NOT is_exit AND times > 0) AS conversions,
        sumIf(times, NOT is_exit) AS completions, ${writeSum("if(is_exit, 0e0, worth)")} AS worth,
        countIf(is_exit AND times = 0) AS exits
      FROM (
        SELECT v.label AS label, v.is_exit AS is_exit, coalesce(g.times, 0) AS times, coalesce(g.worth, 0) AS worth
        FROM listed_visits AS v LEFT JOIN goal_visits AS g ON v.visit = g.visit
      ) AS r GROUP BY label
    )`,
  ];
}
