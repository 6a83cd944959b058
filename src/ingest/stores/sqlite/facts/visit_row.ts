import type { Mark, Visit } from "./visit.ts";

/** Columns of a visit, but for its number, scope and session, in the order of {@linkcode toRow}. */
export const VISIT_COLUMNS: readonly string[] = [
  ...["start", "start_tie", "is_landing", "visitor", "is_mixed", "last", "events", "views", "steps", "engaged"],
  ...["entry", "entry_time", "entry_tie", "exit", "exit_time", "exit_tie"],
  ...["tag", "tag_time", "tag_tie", "referral", "referral_time", "referral_tie"],
];

/** Changes a visit: its columns, and its number. */
export const UPDATE_VISIT: string = `UPDATE visits SET ${
  VISIT_COLUMNS.map((name) => `${name} = ?`).join(", ")
} WHERE id = ?`;

type Row = Readonly<Record<string, unknown>>;

/** Reads a visit. */
export function readVisit(row: Row): Visit {
  return {
    start: { time: Number(row.start), tie: String(row.start_tie), value: 0 },
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
  return { value: Number(row[name]), time: Number(row[`${name}_time`]), tie: String(row[`${name}_tie`]) };
}

/** Writes a visit in the order of its columns. */
export function toRow(visit: Visit): readonly (number | string | null)[] {
  const { start, isLanding, visitor, isMixed, last, events, views, steps, engaged, entry, exit, tag, referral } = visit;
  return [
    ...[start.time, start.tie, Number(isLanding), visitor, Number(isMixed), last, events, views, steps, engaged],
    ...[entry, exit, tag, referral].flatMap((mark) => [mark?.value ?? null, mark?.time ?? null, mark?.tie ?? null]),
  ];
}
