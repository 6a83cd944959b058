import { findOriginProblem } from "../../keys/find_origin_problem.ts";
import { WEEK_STARTS, type WeekStart } from "./days.ts";
import { findGoalProblem, type Goals } from "./goals.ts";
import { findNoteProblem, type Note } from "./notes.ts";
import { createZone } from "./zones.ts";

/** Settings of a key that the reports alone take. */
interface ReportFields {
  readonly goals?: Goals;
  readonly notes?: readonly Note[];
  readonly ignoredReferrers?: readonly string[];
  readonly zone?: string;
  readonly weekStart?: WeekStart;
  readonly currency?: string;
}

/** A code of ISO 4217. */
const CURRENCY = /^[A-Z]{3}$/;

/**
 * Checks what the reports alone take from keys.
 *
 * @throws {TypeError} With what is wrong. Repeats nothing of a key.
 */
export function checkReportKeys(keys: readonly ReportFields[]): void {
  for (
    const [
      index,
      { goals = {}, notes = [], ignoredReferrers = [], zone = "UTC", weekStart = "monday", currency = "EUR" },
    ] of keys.entries()
  ) {
    const problem = name("goals", findGoalProblem(goals)) ?? name("notes", findNoteProblem(notes)) ??
      name("ignoredReferrers ", ignoredReferrers.map(findOriginProblem).find((one) => one !== undefined)) ??
      name("zone ", createZone(zone) === undefined ? "must be a time zone such as Europe/Berlin" : undefined) ??
      name("weekStart ", WEEK_STARTS.includes(weekStart) ? undefined : `must be one of ${WEEK_STARTS.join(", ")}`) ??
      name("currency ", CURRENCY.test(currency) ? undefined : "must be a code such as EUR");
    if (problem !== undefined) throw new TypeError(`keys[${index}].${problem}`);
  }
}

function name(field: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : field + problem;
}
