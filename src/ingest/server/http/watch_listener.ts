import { get } from "node:http";

/** Where is listened. */
export interface ListenerAddress {
  readonly host: string;
  readonly port: number;
}

/** The watch over a listener. */
export interface ListenerWatch {
  /** Resolves when nothing is accepted any more. */
  readonly dead: Promise<void>;
  /** Ends the watch. */
  readonly stop: () => void;
}

const INTERVAL_MS = 10_000;

const PROBE_TIMEOUT_MS = 5_000;

/** Two in a row: a loop that stood still for a while misses one. */
const MISSED_PROBES = 2;

/** Where to connect to a server that listens on all addresses. */
const ANY_HOST: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/**
 * Finds out that a listener on Deno is dead. Its node:http stops accepting for good at the first connection that it has
 * no file descriptor for, and nobody hears of it (denoland/deno#10148). Node goes on by itself, and isn't watched.
 */
export async function watchListener({ host, port }: ListenerAddress): Promise<ListenerWatch> {
  const isAnswering = (): Promise<boolean> => probe(ANY_HOST[host] ?? host, port);
  // A firewall may keep us from our own port: then its silence means nothing.
  const isWatched = "Deno" in globalThis && await isAnswering();
  let timer: ReturnType<typeof setInterval> | undefined;
  const dead = new Promise<void>((resolve) => {
    if (!isWatched) return;
    let missed = 0;
    timer = setInterval(async () => {
      missed = await isAnswering() ? 0 : missed + 1;
      if (missed === MISSED_PROBES) resolve();
    }, INTERVAL_MS);
  });
  return { dead, stop: () => clearInterval(timer) };
}

function probe(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isAnswered: boolean): void => {
      clearTimeout(timer);
      request.destroy();
      resolve(isAnswered);
    };
    // On Deno a connection that no descriptor is left for has neither an error nor a timeout.
    const timer = setTimeout(() => end(false), PROBE_TIMEOUT_MS);
    const request = get({ host, port, path: "/healthz", agent: false }, () => end(true)).on("error", () => end(false));
  });
}
