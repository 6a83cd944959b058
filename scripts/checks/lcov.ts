/** Lines of a file, and how many of them the tests run through. */
export interface FileCoverage {
  /** Absolute path. */
  readonly path: string;
  /** Lines that hold code. */
  readonly lines: number;
  /** Lines that ran. */
  readonly hits: number;
  /** Numbers of the lines that didn't run. */
  readonly missed: readonly number[];
}

/** Reads a coverage report in the lcov format. */
export function parseLcov(text: string): FileCoverage[] {
  return text.split("end_of_record").filter((record) => record.includes("SF:")).map(parseRecord);
}

function parseRecord(record: string): FileCoverage {
  const path = /^SF:(.+)$/m.exec(record)?.[1] ?? "";
  const counts = [...record.matchAll(/^DA:(\d+),(\d+)/gm)].map(([, line, count]) =>
    [Number(line), Number(count)] as const
  );
  const missed = counts.filter(([, count]) => count === 0).map(([line]) => line);
  return { path, lines: counts.length, hits: counts.length - missed.length, missed };
}
