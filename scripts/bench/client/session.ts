import type { Chromium, Page } from "./chromium.ts";
import { type Collector, startCollector } from "./collector.ts";
import type { Site } from "./site.ts";
import type { SubjectBundle } from "./subject_bundle.ts";
import type { Subject } from "./subjects.ts";

/** An SDK, ready to run. */
export interface PreparedSubject extends Subject {
  /** Its files. */
  readonly bundle: SubjectBundle;
}

/** What an SDK is measured with. */
export interface Bench {
  /** The browser. */
  readonly chromium: Chromium;
  /** The site. */
  readonly site: Site;
}

/** A page with a collector of its own. */
export interface Session {
  /** The page. */
  readonly page: Page;
  /** The collector. */
  readonly collector: Collector;
  /** Slows the page's processor down by a factor. */
  throttle(rate: number): Promise<void>;
  /** Puts the SDK into the browser's cache: it's not the network that is measured. */
  prefetch(): Promise<void>;
  /** Imports the SDK, and doesn't start it. */
  load(): Promise<void>;
  /** Imports and starts the SDK; returns what the page took for that, in milliseconds. */
  start(): Promise<number>;
  /** Starts the SDK, and waits for what it sends by itself. */
  settle(): Promise<void>;
  /** Tracks events in one task. */
  burst(amount: number, first?: number): Promise<Burst>;
}

/** How a burst went. */
export interface Burst {
  /** When its task began, by the page's clock. */
  readonly startMs: number;
  /** How long the calls took. */
  readonly ms: number;
  /** How many calls were made until {@linkcode MAX_BURST_MS}. */
  readonly calls: number;
}

/** A burst is cut short after that. */
const MAX_BURST_MS = 15_000;
const SETTLE_LIMIT_MS = 2000;
const REST_MS = 700;

/** Opens a page with a collector, hands both over, and takes them down. */
export async function withSession<T>(
  subject: PreparedSubject,
  { chromium, site }: Bench,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const collector = startCollector();
  const page = await chromium.open(`${site.origin}/page?utm_source=bench`);
  const [entry = ""] = subject.bundle.initial;
  const path = `/bundles/${encodeURIComponent(subject.id)}/`;
  const session: Session = {
    page,
    collector,
    throttle: async (rate) => void await page.send("Emulation.setCPUThrottlingRate", { rate }),
    prefetch: () =>
      page.evaluate(`(async () => {
        for (const name of ${JSON.stringify(subject.bundle.initial)}) await (await fetch("${path}" + name)).text();
      })()`),
    load: () => page.evaluate(`import("${path}${entry}").then((sdk) => { globalThis.sdk = sdk; })`),
    start: () =>
      page.evaluate(`(async () => {
        const startMs = performance.now();
        globalThis.sdk = await import("${path}${entry}");
        sdk.init("${collector.url}");
        return performance.now() - startMs;
      })()`),
    async settle() {
      await session.start();
      const startMs = performance.now();
      const isQuiet = (): boolean => !collector.requests.some(({ method }) => method !== "OPTIONS");
      while (subject.id !== "no-op" && isQuiet() && performance.now() - startMs < SETTLE_LIMIT_MS) await pause(50);
      await pause(REST_MS);
    },
    burst: (amount, first = 0) =>
      page.evaluate(`(() => {
        const startMs = performance.now();
        let calls = 0;
        while (calls < ${amount}) {
          sdk.track("bench_event", buildProperties(${first} + calls++));
          if (calls % 32 === 0 && performance.now() - startMs > ${MAX_BURST_MS}) break;
        }
        return { startMs, calls, ms: performance.now() - startMs };
      })()`),
  };
  try {
    return await use(session);
  } finally {
    await page.dispose().catch(() => {}); // it crashed
    await collector.close();
  }
}

/** Waits. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
