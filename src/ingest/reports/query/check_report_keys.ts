import { findGoalProblem, type Goals } from "./goals.ts";
import { findNoteProblem, type Note } from "./notes.ts";

/**
 * Checks what the reports alone take from keys.
 *
 * @throws {TypeError} With what is wrong. Repeats nothing of a key.
 */
export function checkReportKeys(keys: readonly { readonly goals?: Goals; readonly notes?: readonly Note[] }[]): void {
  for (const [index, { goals = {}, notes = [] }] of keys.entries()) {
    const problem = name("goals", findGoalProblem(goals)) ?? name("notes", findNoteProblem(notes));
    if (problem !== undefined) throw new TypeError(`keys[${index}].${problem}`);
  }
}

function name(field: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : field + problem;
}
