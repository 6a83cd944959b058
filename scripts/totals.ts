/**
 * Adds up the test reports of a CI run and ends it with one line. A step that failed without a failed test counts as
 * one failure, and so do a missing report and a skipped test: nothing may pass by not running.
 *
 *     deno run -A scripts/totals.ts --failed-steps=0 unit.xml browser.xml
 *
 * @module
 */
import { countTests, type Totals } from "./junit.ts";

function readReport(path: string): Totals {
  try {
    return countTests(Deno.readTextFileSync(path));
  } catch {
    // The suite ended before it could write its report, for instance at the type check.
    console.error(`There is no report at ${path}.`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

const paths = Deno.args.filter((argument) => !argument.startsWith("--"));
const failedSteps = Number(Deno.args.find((argument) => argument.startsWith("--failed-steps="))?.split("=")[1] ?? 0);
const totals = paths.map(readReport);
const passed = totals.reduce((sum, total) => sum + total.passed, 0);
const failed = totals.reduce((sum, total) => sum + total.failed + total.skipped, 0);
const failures = Math.max(failed, failedSteps);
console.log(`${passed} passed, ${failures} failed`);
Deno.exit(failures === 0 && passed > 0 ? 0 : 1);
