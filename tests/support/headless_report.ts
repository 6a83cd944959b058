import { assertEquals, assertLessOrEqual } from "@std/assert";
import type { ProcessResult } from "../../scripts/support/process.ts";

/** Longest time in milliseconds that a process may take to end once it has nothing left to do. */
const MAX_LINGER_MS = 1000;

/** What the server of headless_program.ts prints. */
interface Report {
  readonly touchedByImport: readonly string[];
  readonly touched: readonly string[];
  readonly errors: readonly string[];
  readonly consent: readonly string[];
  readonly namesAfter: readonly string[];
  readonly lines: readonly string[];
  readonly endedMs: number;
}

/** Asserts that the SDK was inert in a process that has just ended, and that nothing kept it from ending. */
export function assertInert({ code, output }: ProcessResult): void {
  const lingeredMs = Date.now();
  assertEquals(code, 0, output);
  const report: Report = JSON.parse(output);
  assertLessOrEqual(lingeredMs - report.endedMs, MAX_LINGER_MS);
  assertEquals(report, {
    touchedByImport: [],
    touched: [],
    errors: [
      "Missing required configuration",
      "Invalid endpoint URL",
      "Endpoint must use https:// (http:// allowed for localhost)",
      'trackPageviews must be true, false, or "auto"',
      'consent must be "pending", "granted", or "denied"',
    ],
    consent: ["pending", "pending", "pending", "pending", "pending"],
    namesAfter: [],
    lines: ["warn: [Vendor] step() ignored: call init() first"],
    endedMs: report.endedMs,
  });
}
