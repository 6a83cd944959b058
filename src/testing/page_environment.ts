import type { PageEnvironment } from "../client/platform/environment.ts";

/**
 * How often the members of a {@linkcode PageEnvironment} were used that tell of the visitor or their device.
 *
 * @example
 * ```ts
 * import { createClient } from "@vendor/sdk/client";
 * import { createTestBrowser } from "@vendor/sdk/testing";
 *
 * const page = createTestBrowser().open("https://shop.example/");
 * createClient({ apiKey: "pk_test_123", consent: "pending" }, page.environment).step("too_early");
 * const { storage, url, title } = page.touched;
 * if (storage + url + title > 0) throw new Error("read before consent");
 * ```
 */
export interface TestTouches {
  /** Reads, writes and removals of storage, and subscriptions to it. */
  readonly storage: number;
  /** Reads of the full URL. */
  readonly url: number;
  /** Reads of origin and path. */
  readonly path: number;
  /** Reads of the referrer. */
  readonly referrer: number;
  /** Reads of the title. */
  readonly title: number;
  /** Reads of the screen. */
  readonly screen: number;
}

/** What a page's environment is made from. */
export interface PageEnvironmentParts extends Omit<PageEnvironment, "canCollect" | "path"> {}

/** An environment that counts. */
export interface CountedEnvironment {
  /** The environment. */
  readonly environment: PageEnvironment;
  /** Returns the counts so far. */
  touched(): TestTouches;
}

/** Creates the environment of a page, and counts what is used of it. */
export function createPageEnvironment(parts: PageEnvironmentParts): CountedEnvironment {
  const { storage, url, referrer, title, screen, listenToStorage } = parts;
  const counts = { storage: 0, url: 0, path: 0, referrer: 0, title: 0, screen: 0 };
  const counted = <P extends unknown[], R>(name: keyof TestTouches, use: (...args: P) => R) => (...args: P): R => {
    counts[name]++;
    return use(...args);
  };
  return {
    environment: {
      ...parts,
      canCollect: true,
      storage: {
        get: counted("storage", storage.get),
        set: counted("storage", storage.set),
        remove: counted("storage", storage.remove),
        keys: counted("storage", storage.keys),
      },
      listenToStorage: counted("storage", listenToStorage),
      url: counted("url", url),
      path: counted("path", () => withoutQuery(url())),
      referrer: counted("referrer", referrer),
      title: counted("title", title),
      screen: counted("screen", screen),
    },
    touched: () => ({ ...counts }),
  };
}

function withoutQuery(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`; // some schemes have no origin
}
