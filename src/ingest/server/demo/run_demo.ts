import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoredEvent } from "../../events/stored_event.ts";
import { describeError } from "../../platform/describe_error.ts";
import type { EventSink } from "../../ports/sink.ts";
import type { ReportReader } from "../../ports/reader.ts";
import { createReports } from "../../reports/reports.ts";
import { createApp } from "../http/app.ts";
import { leadToReports } from "../http/lead_to_reports.ts";
import { listen, type Listener, type ListenOptions } from "../http/listen.ts";
import type { ServerHandler } from "../http/node_listener.ts";
import { ServerFault } from "../ops/server_fault.ts";
import { DEMO_KEY } from "./demo_key.ts";
import { createFeed } from "./feed.ts";
import type { FeedOutcome, FeedRow } from "./feed_row.ts";
import { listShopNotes, type MadeUpYearOptions, makeUpYear, SHOP_GOALS } from "./made_up_year.ts";
import type { ShopFiles } from "./shop_files.ts";
import { createSite } from "./site.ts";

/** Where events are stored and read. */
export interface DemoStore {
  readonly sink: EventSink;
  readonly reader: ReportReader;
  /** Closes both. */
  close(): Promise<void>;
}

/** Options of {@linkcode startDemo}. */
export interface DemoOptions {
  /** Port of the shop; 0 picks a free one. */
  readonly port: number;
  /** Port of the ingest and its reports; 0 picks a free one. */
  readonly ingestPort: number;
  /** The shop. */
  readonly files: ShopFiles;
  /** Opens a store in an empty folder, which goes when the demo ends. */
  readonly openStore: (directory: string) => Promise<DemoStore>;
  /** Visits a day of the made-up year; 0 for a shop that opens today. */
  readonly visitsPerDay: number;
  /** Hears of everything the ingest accepts, knows already or refuses. */
  readonly onRow?: (row: FeedRow) => void;
  /** Hears of what failed. */
  readonly onFault?: (message: string) => void;
}

/** A demo that runs. */
export interface RunningDemo {
  /** Origin of the shop. */
  readonly site: string;
  /** URL for the SDK's `endpoint`. */
  readonly endpoint: string;
  /** Address of the reports. */
  readonly reports: string;
  /** Folder with the events. */
  readonly directory: string;
  /** Resolves, once the year is stored, to how many events it has; to 0 where it can't be, and `onFault` hears why. */
  readonly year: Promise<number>;
  /** Stops both servers, and removes the events. */
  stop(): Promise<void>;
}

/** The demo is for this machine alone. */
const HOST = "127.0.0.1";

const PATH = "/v1/events";

/** Longest time of a request: the feed is one that goes on. */
const REQUEST_TIMEOUT_MS = 86_400_000;

const LISTENING = { host: HOST, requestTimeoutMs: REQUEST_TIMEOUT_MS } as const;

const MAX_PENDING = 64;

/** Events of the year that are stored at once. */
const BATCH_SIZE = 2_000;

/**
 * Starts a shop with the SDK and, on another port, the ingest that stores its events beside those of a made-up year.
 *
 * @throws {ServerFault} When a port or the store can't be used.
 */
export async function startDemo(options: DemoOptions): Promise<RunningDemo> {
  const { files, onRow = () => {}, onFault = () => {}, visitsPerDay } = options;
  const closers: (() => void | Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const feed = createFeed();
    const directory = await mkdtemp(join(tmpdir(), "vendor-demo-"));
    closers.push(() => rm(directory, { recursive: true, force: true }));
    const { sink, reader, close } = await options.openStore(directory);
    closers.push(close);
    // The ingest has to know the shop's origin, and the shop the ingest's address.
    let site = (_: Request): Response => answerStarting();
    let receive: ServerHandler = () => Promise.resolve(answerStarting());
    const [shop, ingest] = await listenOnBoth(
      {
        ...{ ...LISTENING, port: options.port, portFlag: "--port" },
        handle: (request) => Promise.resolve(site(request.toRequest())),
      },
      {
        ...{ ...LISTENING, port: options.ingestPort, portFlag: "--ingest-port" },
        handle: (request, sender) => receive(request, sender),
      },
    );
    closers.push(shop.stop, ingest.stop);
    const origin = `http://${HOST}:${shop.port}`;
    const nowMs = Date.now();
    const publish = (outcome: FeedOutcome): void => {
      const row = { ...outcome, at: new Date().toISOString() };
      onRow(row);
      feed.publish(row);
    };
    const dimensions = ["browser", "system", "device"] as const;
    const key = { apiKey: DEMO_KEY, origins: [origin], dimensions };
    const secretKey = `sk_${randomUUID()}`;
    const onError = (error: unknown): void => onFault(describeError(error));
    const reports = createReports({
      keys: [{
        ...{ ...key, secretKey, currency: "EUR", goals: SHOP_GOALS },
        notes: visitsPerDay > 0 ? listShopNotes({ nowMs, origin }) : [],
      }],
      reader,
      onError,
    });
    const app = createApp({
      keys: [key],
      sink,
      path: PATH,
      maxPending: MAX_PENDING,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      log: (level, message, { reason = "" } = {}) => level === "error" && onFault(`${message}: ${reason}`),
      // Anyone on this machine may read what the demo counted; a server that others reach asks for the secret.
      routes: [
        async (request, asker) => leadToReports(request) ?? await reports(addSecret(request, secretKey), asker),
      ],
      onEvents: (events) => events.forEach((event) => publish({ kind: "accepted", event })),
      onOutcome: (outcome) => {
        if (outcome.kind === "refused") publish(outcome);
        else if (outcome.duplicates > 0) publish({ kind: "duplicates", count: outcome.duplicates });
      },
    });
    receive = app.handle;
    closers.push(app.stop);
    // Of what closes these are the first: a stream that is open keeps its server from ending, and a store what it stores.
    const end = new AbortController();
    const year = storeYear(sink, { origin, nowMs, visitsPerDay, signal: end.signal }).catch(
      (error: unknown) => {
        onError(error);
        return 0;
      },
    );
    closers.push(feed.close, async () => {
      end.abort();
      await year;
    });
    const address = `http://${HOST}:${ingest.port}`;
    site = createSite({ files, origin, endpoint: address + PATH, feed });
    return { site: origin, endpoint: address + PATH, reports: `${address}/reports`, directory, year, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function answerStarting(): Response {
  return new Response("It starts\n", { status: 503, headers: { "Retry-After": "1" } });
}

/** Listens on two ports. Where it can't, the fault names each that it can't listen on, and none stays open. */
async function listenOnBoth(...options: readonly [ListenOptions, ListenOptions]): Promise<[Listener, Listener]> {
  const [first, second] = await Promise.allSettled([listen(options[0]), listen(options[1])]);
  if (first.status === "fulfilled" && second.status === "fulfilled") return [first.value, second.value];
  const faults: string[] = [];
  for (const result of [first, second]) {
    if (result.status === "fulfilled") await result.value.stop();
    else faults.push(describeError(result.reason));
  }
  throw new ServerFault(faults.join("; "));
}

interface StoreYearOptions extends MadeUpYearOptions {
  /** Leaves the rest out. */
  readonly signal: AbortSignal;
}

/** Stores the year. */
async function storeYear(
  sink: EventSink,
  { signal, ...options }: StoreYearOptions,
): Promise<number> {
  let stored = 0;
  let events: StoredEvent[] = [];
  const store = async (): Promise<void> => {
    await sink.store({ apiKey: DEMO_KEY, events });
    stored += events.length;
    events = [];
  };
  for (const visit of makeUpYear(options)) {
    events.push(...visit);
    if (signal.aborted) return stored;
    if (events.length >= BATCH_SIZE) await store();
  }
  if (events.length > 0) await store();
  return stored;
}

function addSecret(request: Request, secret: string): Request {
  const headers = new Headers(request.headers);
  if (!headers.has("Authorization")) headers.set("Authorization", `Bearer ${secret}`);
  return new Request(request, { headers });
}
