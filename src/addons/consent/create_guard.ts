import { warnDeveloper } from "../page/page.ts";
import type { ConsentState } from "../../client/base/types.ts";

/** Asks a platform something; returns nothing where it throws. */
export type Guard = <T>(ask: () => T) => T | undefined;

/**
 * Creates a guard of a source: a platform that throws has no answer, and the first time a warning says so. Neither the
 * page nor the platform that calls back hears of it.
 */
export function createGuard(report: (state: ConsentState) => void): Guard {
  let isWarned = false;
  return (ask) => {
    try {
      return ask();
    } catch (error) {
      report("pending"); // what it said before may be withdrawn by now
      if (!isWarned) warnDeveloper("the consent platform failed: no answer", error);
      isWarned = true;
    }
  };
}
