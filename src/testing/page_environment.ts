import type { PageEnvironment } from "../client/platform/environment.ts";

/** Uses of the members that tell of the visitor or their device: see `TestPage`. */
type Touches = Readonly<Record<"storage" | "url" | "path" | "referrer" | "title" | "screen", number>>;

/** The parts of a page's environment. */
export interface PageEnvironmentParts extends Omit<PageEnvironment, "canCollect" | "path"> {}

/** An environment that counts. */
export interface CountedEnvironment {
  /** The environment. */
  readonly environment: PageEnvironment;
  /** Returns the counts so far. */
  touched(): Touches;
}

/**
 * Creates the environment of a page, and counts what is used of it.
 *
 * @param isActive Whether the page is shown already.
 */
export function createPageEnvironment(parts: PageEnvironmentParts, isActive: () => boolean): CountedEnvironment {
  const { storage, url, referrer, title, screen, listenToStorage } = parts;
  const counts = { storage: 0, url: 0, path: 0, referrer: 0, title: 0, screen: 0 };
  const counted = <P extends unknown[], R>(name: keyof Touches, use: (...args: P) => R) => (...args: P): R => {
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
      listenToStorage: (listener) => (isActive() ? counted("storage", listenToStorage) : listenToStorage)(listener),
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
