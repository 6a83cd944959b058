/**
 * What SQL has no functions for: channels of sources, and paths as rules write them. Those that the table has of a range are
 * read, written here, and put into the query.
 *
 * @module
 */
import { MAX_TOLD_SOURCES, UNTOLD_CHANNEL } from "../../events/channels.ts";
import { createPathWriter, type PathRules } from "../../events/path_rules.ts";
import { labelSource, MAX_FACT_UNITS, type TrafficSource } from "../../events/visit_facts.ts";
import type { SourceDimension } from "../../ports/reader.ts";
import type { Parameters, Row } from "./clickhouse_port.ts";
import { EVENTS_TABLE, EXACTLY } from "./clickhouse_schema.ts";

/** Runs a query and returns its rows. */
export type Select = (query: string, parameters: Parameters) => Promise<readonly Row[]>;

/** Where words are looked for. */
export interface WordRange {
  /** Condition of a query. */
  readonly condition: string;
  /** Values of its bound parameters. */
  readonly parameters: Parameters;
}

/** Where sources are looked for. */
export interface SourceRange extends WordRange {
  /** Other origins of the key. */
  readonly ownOrigins: readonly string[];
  /** Condition of the range itself, in which sources are counted. */
  readonly inRange: string;
}

/** A source's label, in SQL. */
export interface SourceWords {
  /** The label of an event. */
  readonly label: string;
  /** The label of what came from nowhere. */
  readonly nothing: string;
}

const NOWHERE: TrafficSource = { referrer: "", source: "", medium: "", campaign: "", term: "", content: "" };

const PATH = `substring(path, 1, ${MAX_FACT_UNITS})`;

/** Two events whose channels may differ differ in this. */
const CHANNEL_KEY =
  "sipHash64(source_referrer) + 3 * sipHash64(utm_source) + 5 * sipHash64(utm_medium) + 7 * (utm_campaign <> '')";

/** Whether a source has anything that a channel is told by. */
const IS_SOMEWHERE = "(source_referrer <> '' OR utm_source <> '' OR utm_medium <> '' OR utm_campaign <> '')";

/** Builds the path of an event, as the rules write it. */
export async function buildPage(
  select: Select,
  rules: PathRules,
  { condition, parameters }: WordRange,
): Promise<string> {
  if (rules.patterns.length === 0 && !rules.dropsTrailingSlash && !rules.ignoresCase) return PATH;
  const rows = await select(`SELECT DISTINCT ${PATH} AS path_text FROM ${EVENTS_TABLE} WHERE ${condition}`, parameters);
  const write = createPathWriter(rules);
  const changed = rows.map((row) => String(row.path_text)).filter((path) => write(path) !== path);
  if (changed.length === 0) return PATH;
  return `transform(${PATH}, [${quoteAll(changed)}], [${quoteAll(changed.map(write))}])`;
}

/** Builds the label of an event's source. */
export async function buildSourceWords(
  select: Select,
  dimension: SourceDimension,
  range: SourceRange,
): Promise<SourceWords> {
  const { ownOrigins } = range;
  const nothing = quote(labelSource(NOWHERE, dimension, []));
  const referrer = ownOrigins.length === 0
    ? "source_referrer"
    : `if(has([${quoteAll(ownOrigins)}], source_referrer), '', source_referrer)`;
  switch (dimension) {
    case "channel":
      return { label: await buildChannel(select, nothing, range), nothing };
    case "source":
      return { label: `if(utm_source <> '', utm_source, ${referrer})`, nothing };
    case "referrer":
      return { label: referrer, nothing };
    default:
      return { label: `utm_${dimension}`, nothing };
  }
}

/** Builds the channel of an event: of each source, unless there are too many in the range. */
async function buildChannel(select: Select, nothing: string, range: SourceRange): Promise<string> {
  const { condition, parameters, inRange, ownOrigins } = range;
  const sources = `
    SELECT toString(${CHANNEL_KEY}) AS key, any(source_referrer) AS referrer, any(utm_source) AS source,
      any(utm_medium) AS medium, any(utm_campaign) AS campaign
    FROM ${EVENTS_TABLE}
  `;
  const all = `${sources} WHERE ${condition} GROUP BY key`;
  const first = await select(`${all} LIMIT ${MAX_TOLD_SOURCES + 1}`, parameters);
  if (first.length <= MAX_TOLD_SOURCES) return toChannel(first, { ownOrigins, rest: nothing });
  // Only now each event once, for that takes longer.
  const most = `
    ${sources} FINAL WHERE ${condition} AND ${inRange} AND ${IS_SOMEWHERE} GROUP BY key
    ORDER BY count() DESC, referrer, source, medium, campaign <> '' LIMIT ${MAX_TOLD_SOURCES + 1} ${EXACTLY}
  `;
  const told = await select(most, parameters);
  if (told.length <= MAX_TOLD_SOURCES) return toChannel(await select(all, parameters), { ownOrigins, rest: nothing });
  const rest = `if(${IS_SOMEWHERE}, ${quote(UNTOLD_CHANNEL)}, ${nothing})`;
  return toChannel(told.slice(0, MAX_TOLD_SOURCES), { ownOrigins, rest });
}

interface ChannelOptions {
  readonly ownOrigins: readonly string[];
  /** The channel of the other sources. */
  readonly rest: string;
}

function toChannel(sources: readonly Row[], { ownOrigins, rest }: ChannelOptions): string {
  const channels = sources.map((row) => {
    const read = (name: string): string => String(row[name]);
    const tags = { source: read("source"), medium: read("medium"), campaign: read("campaign") };
    const from = { ...NOWHERE, ...tags, referrer: read("referrer") };
    return { key: read("key"), channel: labelSource(from, "channel", ownOrigins) };
  });
  if (channels.length === 0) return rest;
  const keys = channels.map(({ key }) => key).join(", ");
  return `transform(${CHANNEL_KEY}, [${keys}], [${quoteAll(channels.map(({ channel }) => channel))}], ${rest})`;
}

/** Writes values as SQL has them, with commas. */
export function quoteAll(values: readonly (string | number)[]): string {
  return values.map((value) => typeof value === "number" ? String(value) : quote(value)).join(", ");
}

/** Writes a text as SQL has it. */
export function quote(text: string): string {
  return `'${text.toWellFormed().replace(/[\\']/g, "\\$&").replaceAll("\0", "\\0")}'`;
}
