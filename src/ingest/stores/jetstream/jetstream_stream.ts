import { describeError } from "../../platform/describe_error.ts";
import { apiCodeOf, isPassing, type StreamConfig, type StreamInfo, type StreamManager } from "./jetstream_modules.ts";

/** Settings that a sink asks of its stream. */
export interface StreamNeeds {
  /** Name of the stream. */
  readonly name: string;
  /** Subjects of the events, with a wildcard for the key. */
  readonly subject: string;
  /** On how many servers each event is kept. */
  readonly replicas: number;
  /** Milliseconds in which event ids are known. */
  readonly duplicateWindowMs: number;
}

/** Name of the stream unless another is given. */
export const DEFAULT_STREAM = "VENDOR_EVENTS";

/** First part of the subjects unless another is given. */
export const DEFAULT_SUBJECT_PREFIX = "vendor.events";

/** Milliseconds in which a cluster that is starting may elect its leaders. */
const ELECTION_MS = 15_000;

/** Between two looks at it, in milliseconds. */
const ELECTION_LOOK_MS = 200;

const NANOSECONDS_PER_MS = 1_000_000;

/** JetStream's "stream not found". */
export const STREAM_NOT_FOUND = 10_059;

/**
 * Makes sure that there is a stream that loses no acknowledged event and takes none twice. One that exists is left as
 * it is: whoever runs the cluster may have set it up. Resolves to how it is set up, once it has a leader: a cluster that
 * starts together with its clients elects for seconds.
 *
 * @throws {Error} When the stream can't be made, one of the name doesn't do, or nobody leads after the time.
 */
export async function ensureStream(
  manager: StreamManager,
  needs: StreamNeeds,
  electionMs: number = ELECTION_MS,
): Promise<StreamConfig> {
  const deadlineMs = performance.now() + electionMs;
  for (;;) {
    const { config, cluster, error } = await findOrAddStream(manager, needs);
    if (config) checkConfig(config, needs);
    const isLed = config !== undefined && (cluster === undefined || Boolean(cluster.leader));
    if (isLed) return config;
    if (performance.now() > deadlineMs) throw error ?? new Error(`the stream ${needs.name} has no leader`);
    await new Promise((resolve) => setTimeout(resolve, ELECTION_LOOK_MS));
  }
}

/** Returns the stream, made where it was missing, or why there is none for now. */
async function findOrAddStream(
  manager: StreamManager,
  needs: StreamNeeds,
): Promise<Partial<StreamInfo> & { readonly error?: unknown }> {
  try {
    return await findStream(manager, needs.name) ?? await addStream(manager, needs);
  } catch (error) {
    if (isPassing(error) || (error instanceof Error && isPassing(error.cause))) return { error };
    throw error;
  }
}

/**
 * Makes sure that a stream still loses no acknowledged event and takes none twice.
 *
 * @throws {Error} When it doesn't do.
 */
export function checkConfig(config: StreamConfig, needs: StreamNeeds): void {
  const fault = findFault(config, needs);
  if (fault !== undefined) throw new Error(`the stream ${needs.name} ${fault}`);
}

async function findStream(manager: StreamManager, name: string): Promise<StreamInfo | undefined> {
  try {
    return await manager.streams.info(name);
  } catch (error) {
    if (apiCodeOf(error) === STREAM_NOT_FOUND) return undefined;
    throw error;
  }
}

async function addStream(manager: StreamManager, needs: StreamNeeds): Promise<StreamInfo> {
  const { name, subject, replicas, duplicateWindowMs } = needs;
  try {
    return await manager.streams.add({
      name,
      subjects: [subject],
      storage: "file",
      retention: "limits",
      // A full stream refuses what is new, which its sender keeps; the default would throw the oldest away.
      discard: "new",
      num_replicas: replicas,
      duplicate_window: duplicateWindowMs * NANOSECONDS_PER_MS,
      max_age: 0,
      max_msgs_per_subject: -1,
    });
  } catch (cause) {
    throw new Error(`the stream ${name} with ${replicas} replicas can't be made: ${describeError(cause)}`, { cause });
  }
}

function findFault(config: StreamConfig, needs: StreamNeeds): string | undefined {
  const windowMs = config.duplicate_window / NANOSECONDS_PER_MS;
  if (config.mirror) return "is a mirror and takes no events";
  if (!config.subjects.some((kept) => covers(kept, needs.subject))) return `doesn't keep the subjects ${needs.subject}`;
  if (config.sealed) return "is sealed and takes no events";
  if (config.no_ack) return "acknowledges nothing";
  if (config.storage !== "file") return "isn't stored in files";
  if (config.persist_mode === "async") return "acknowledges events before they are written (persist_mode: async)";
  // The loader knows an event's key by its subject.
  if (config.subject_transform) return "stores events under other subjects (subject_transform)";
  if (config.deny_purge) return "keeps loaded events for ever (deny_purge)";
  if (config.deny_delete) return "keeps the events of whoever is erased (deny_delete)";
  // A stream that forgets messages earlier forgets their ids as well when it is loaded again.
  if (config.retention !== "limits" || config.discard !== "new") {
    return "must retain by limits and discard new messages";
  }
  // Where a subject has a bound of its own, new messages push old ones out, whatever the stream discards.
  if (config.max_msgs_per_subject > 0) return `keeps no more than ${config.max_msgs_per_subject} messages of a key`;
  if (config.num_replicas < needs.replicas) return `has ${config.num_replicas} replicas instead of ${needs.replicas}`;
  if (config.max_age > 0 && config.max_age < config.duplicate_window) {
    return `forgets messages after ${config.max_age / NANOSECONDS_PER_MS} ms`;
  }
  if (windowMs < needs.duplicateWindowMs) {
    return `knows message ids for ${windowMs} ms instead of ${needs.duplicateWindowMs} ms`;
  }
  return undefined;
}

/** Returns whether subjects take in all of others: in NATS `*` stands for one token, `>` at the end for one or more. */
function covers(kept: string, subject: string): boolean {
  const [keptTokens, tokens] = [kept.split("."), subject.split(".")];
  const { length } = keptTokens;
  if (keptTokens.at(-1) === ">" ? tokens.length < length : tokens.length !== length) return false;
  return keptTokens.every((token, index) => token === "*" || token === ">" || token === tokens[index]);
}
