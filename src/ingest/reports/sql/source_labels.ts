import { MAX_TOLD_SOURCES, MIDWAY_CHANNEL, UNTOLD_CHANNEL } from "../../events/channels.ts";
import type { ReportQuery, SourceDimension } from "../../ports/report_query.ts";
import type { Engine } from "./engine.ts";

/** What sources are listed under. */
export interface SourceLabels {
  /** Defines the table of the sources whose channels are told, unless all are. */
  readonly definitions: readonly string[];
  /** Writes the label of an event. */
  readonly ofEvent: (name: SourceDimension) => string;
  /** Writes the label of a session. `told` is that of the event that says where it came from, by default its columns say so. */
  readonly ofSession: (name: SourceDimension, told?: string) => string;
}

/** Columns that say where an event came from, but for whether it has a campaign. */
const SOURCE = ["source_referrer", "utm_source", "utm_medium"] as const;

/** Writes the labels of sources. Channels are told of those of the events that fulfil a condition, see `MAX_TOLD_SOURCES`. */
export async function writeSourceLabels(
  engine: Engine,
  { ownOrigins }: ReportQuery,
  { hasChannels, condition }: { readonly hasChannels: boolean; readonly condition: string },
): Promise<SourceLabels> {
  const { quote } = engine.dialect;
  const definitions = hasChannels ? await defineTold(engine, condition) : [];

  /** Columns of a session have a prefix. Whoever comes from one of the key's own origins comes from nowhere. */
  function write(name: SourceDimension, prefix: string): string {
    const origins = ownOrigins.map(quote).join(", ");
    const isOwn = origins === "" ? "1 = 0" : `${prefix}source_referrer IN (${origins})`;
    const referrer = `if(${isOwn}, '', ${prefix}source_referrer)`;
    if (name === "referrer") return referrer;
    if (name === "source") return `if(${prefix}utm_source <> '', ${prefix}utm_source, ${referrer})`;
    if (name !== "channel") return `${prefix}utm_${name}`;
    const channel = `if(${isOwn}, ${prefix}tagged_channel, ${prefix}channel)`;
    if (definitions.length === 0) return channel;
    const source = `${SOURCE.map((column) => prefix + column).join(", ")}, ${prefix}utm_campaign <> ''`;
    return `if((${isNowhere(prefix)}) OR (${source}) IN (SELECT * FROM told_sources), ${channel}, ${
      quote(UNTOLD_CHANNEL)
    })`;
  }

  return {
    definitions,
    ofEvent: (name) => write(name, ""),
    // Of one that joined midway, nothing tells a source.
    ofSession: (name, told = write(name, "s_")) =>
      `if(is_from_somewhere, ${told}, ${quote(name === "channel" ? MIDWAY_CHANNEL : "")})`,
  };
}

function isNowhere(prefix: string): string {
  return [...SOURCE, "utm_campaign"].map((column) => `${prefix}${column} = ''`).join(" AND ");
}

async function defineTold({ events, select, share }: Engine, condition: string): Promise<readonly string[]> {
  const source = `${SOURCE.join(", ")}, has_campaign`;
  const sources = `SELECT ${SOURCE.join(", ")}, utm_campaign <> '' AS has_campaign, count() AS times
    FROM ${events} WHERE ${condition} AND NOT (${isNowhere("")}) GROUP BY ${source}`;
  const [row] = await select(`SELECT * FROM ${await share(`SELECT count() AS sources FROM (${sources}) AS s`)}`);
  if (Number(row?.sources) <= MAX_TOLD_SOURCES) return [];
  return [`told_sources AS (
    SELECT ${source} FROM (${sources}) AS s ORDER BY times DESC, ${source} LIMIT ${MAX_TOLD_SOURCES}
  )`];
}
