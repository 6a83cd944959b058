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

/** Tools that an SDK is measured with. */
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
  /** Imports and starts the SDK; returns the milliseconds of `init()`. */
  start(): Promise<number>;
  /** Tracks events in one task. */
  track(amount: number): Promise<TrackedTask>;
}

/** A task full of calls. */
export interface TrackedTask {
  /** When the last call returned, by the page's clock. */
  readonly endMs: number;
  /** Duration of the calls. */
  readonly ms: number;
}

/** Opens a page with a collector, hands both over, and takes them down. */
export async function withSession<T>(
  subject: PreparedSubject,
  { chromium, site }: Bench,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const collector = startCollector();
  const page = await chromium.open(`${site.origin}/page?utm_source=bench`);
  const path = `/bundles/${encodeURIComponent(subject.id)}/`;
  const urls = JSON.stringify(subject.bundle.initial.map((name) => path + name));
  const session: Session = {
    page,
    collector,
    async start() {
      // Into the browser's cache: the network isn't what is measured.
      await page.evaluate(`Promise.all(${urls}.map((url) => fetch(url).then((answer) => answer.text())))`);
      return await page.evaluate(`(async () => {
        globalThis.sdk = await import(${urls}[0]);
        const startMs = performance.now();
        sdk.init("${collector.url}");
        return performance.now() - startMs;
      })()`);
    },
    track: (amount) =>
      page.evaluate(`(() => {
        const startMs = performance.now();
        for (let i = 0; i < ${amount}; i++) sdk.track("bench_event", buildProperties(i));
        const endMs = performance.now();
        return { endMs, ms: endMs - startMs };
      })()`),
  };
  try {
    return await use(session);
  } finally {
    await page.dispose().catch(() => {}); // it crashed
    await collector.close();
  }
}
