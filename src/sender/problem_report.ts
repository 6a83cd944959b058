import { callOut } from "./call_out.ts";
import type { SenderProblem } from "./options.ts";

/** Creates what tells an application of problems, but not of one that its hearing of another causes. */
export function createProblemReport(onProblem: (problem: SenderProblem) => unknown): (problem: SenderProblem) => void {
  let isReporting = false;
  return (problem) => {
    if (isReporting) return;
    isReporting = true;
    callOut(() => onProblem(problem));
    isReporting = false;
  };
}
