import type { DamagedFile } from "../../ports/reader.ts";
import { formatCount } from "./words.ts";

/** Says what isn't counted, since it can't be read; undefined where all can. */
export function describeDamaged(damaged: readonly Omit<DamagedFile, "message">[] = []): string | undefined {
  if (damaged.length === 0) return undefined;
  const events = damaged.reduce((sum, file) => sum + file.events, 0);
  const [first, ...others] = damaged.map(({ file }) => file);
  const more = `${formatCount(others.length)} more ${others.length === 1 ? "file" : "files"}`;
  const files = others.length === 0 ? `the file ${first}` : `${first} and ${more}`;
  return `Some events are missing here, ${
    formatCount(events)
  } at most: ${files} can't be read. The log of the ingest says why.`;
}
