/** How many tests ended in which way. */
export interface Totals {
  /** Tests that passed. */
  readonly passed: number;
  /** Tests that failed. */
  readonly failed: number;
  /** Tests that were skipped. */
  readonly skipped: number;
}

const SUITE = /<testsuite [\s\S]*?<\/testsuite>/g;

interface TestCase {
  readonly name: string;
  readonly outcome: keyof Totals;
}

/** Counts the tests of a report that `deno test --junit-path` wrote; a test and its steps are one. */
export function countTests(report: string): Totals {
  const suites: readonly string[] = report.match(SUITE) ?? [];
  const outcomes = suites.flatMap((suite) => withoutSteps(parseCases(suite))).map(({ outcome }) => outcome);
  const count = (wanted: keyof Totals): number => outcomes.filter((outcome) => outcome === wanted).length;
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
}

/** Makes one report of those in a folder. */
export function mergeReports(folder: string): string {
  const paths = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".xml")).sort();
  const reports = paths.map((path) => Deno.readTextFileSync(`${folder}/${path}`));
  const suites = reports.flatMap((report) => report.match(SUITE) ?? []);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join("\n")}\n</testsuites>\n`;
}

function parseCases(suite: string): TestCase[] {
  return [...suite.matchAll(/<testcase name="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g)].map(
    ([, name = "", body = ""]) => ({ name, outcome: toOutcome(body) }),
  );
}

function toOutcome(body: string): keyof Totals {
  if (/<(failure|error)\b/.test(body)) return "failed";
  return body.includes("<skipped") ? "skipped" : "passed";
}

// A step is listed as "test > step"; a test may have such a name of its own.
function withoutSteps(cases: readonly TestCase[]): TestCase[] {
  const names = new Set(cases.map(({ name }) => name));
  const isStep = ({ name }: TestCase): boolean => {
    const parts = name.split(" &gt; ");
    return parts.some((_, index) => index > 0 && names.has(parts.slice(0, index).join(" &gt; ")));
  };
  return cases.filter((testCase) => !isStep(testCase));
}
