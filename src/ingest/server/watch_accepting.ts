import { open } from "node:fs/promises";
import { get } from "node:http";
import { devNull } from "node:os";
import { describeError } from "../describe_error.ts";
import type { Log } from "./log.ts";

/** What {@linkcode watchAccepting} takes. */
export interface WatchAcceptingOptions {
  /** Address that is listened on. */
  readonly host: string;
  /** Port that is listened on. */
  readonly port: number;
  /** Takes what happens. */
  readonly log: Log;
  /** Returns how many connections were accepted so far. */
  readonly accepted: () => number;
  /** Listens anew. */
  readonly listenAgain: () => Promise<void>;
}

/** How often is looked. */
const INTERVAL_MS = 2_000;

/** How long a connection of our own may take. */
const PROBE_TIMEOUT_MS = 2_000;

/** Two in a row: a loop that stood still for a while has connections to accept. */
const MISSED_PROBES = 2;

const CAN_STOP_ACCEPTING = "Deno" in globalThis;

/** Where to connect to a server that listens on all addresses. */
const ANY_HOST: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/**
 * Says when the process has no file descriptor left, once, and listens again where it accepts nothing any more. Deno's
 * node:http stops for good at the first connection that it has no descriptor for, and nobody hears of it
 * (denoland/deno#10148); Node goes on by itself.
 */
export async function watchAccepting(options: WatchAcceptingOptions): Promise<{ readonly stop: () => void }> {
  const { port, log, accepted, listenAgain } = options;
  const host = ANY_HOST[options.host] ?? options.host;
  const stopping = new AbortController();
  let seen = 0;
  let missed = 0;
  let isShort = false;
  // A firewall may keep us from our own port: then its silence means nothing.
  const isWatched = CAN_STOP_ACCEPTING && await canConnect();
  let timer = setTimeout(look, INTERVAL_MS);

  function canConnect(): Promise<boolean> {
    return probe({ host, port, signal: stopping.signal });
  }

  async function look(): Promise<void> {
    await check().catch((error) => log("error", "can't listen again", { reason: describeError(error) }));
    if (!stopping.signal.aborted) timer = setTimeout(look, INTERVAL_MS);
  }

  async function check(): Promise<void> {
    const wasShort = isShort;
    isShort = await hasNoDescriptor();
    if (isShort && !wasShort) log("error", "no file descriptor is left: new connections wait, or are closed");
    const isAccepting = isShort || !isWatched || accepted() > seen || await canConnect() || accepted() > seen;
    if (isAccepting) missed = 0;
    else missed += 1;
    seen = accepted();
    if (missed < MISSED_PROBES || stopping.signal.aborted) return;
    missed = 0;
    log("warn", "no connection was accepted any more: listening again");
    await listenAgain();
  }

  return {
    stop: () => {
      stopping.abort();
      clearTimeout(timer);
    },
  };
}

async function hasNoDescriptor(): Promise<boolean> {
  try {
    await (await open(devNull)).close();
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && (error.code === "EMFILE" || error.code === "ENFILE");
  }
}

/** Where the probe connects, and what ends it. */
interface ProbeOptions {
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

/** Returns whether a request of our own is answered: with a shared port, maybe by another process. */
function probe(options: ProbeOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isAnswered: boolean): void => {
      clearTimeout(timer);
      request.destroy();
      resolve(isAnswered);
    };
    // On Deno a connection that no descriptor is left for has neither an error nor a timeout.
    const timer = setTimeout(() => end(false), PROBE_TIMEOUT_MS);
    const request = get({ ...options, path: "/healthz", agent: false }, () => end(true)).on("error", () => end(false));
  });
}
