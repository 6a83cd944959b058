import type { Tab } from "./engines/engine.ts";

/** The pages with the SDK that a visitor has open. */
export interface OpenPages {
  /** Returns how many were open at once, at most. */
  most(): number;
  /** Returns the tab, and follows it from page to page. */
  follow(tab: Tab, url: string): Tab;
  /** Closes all. */
  closeAll(): Promise<void>;
}

/** Counts them; `hasSdk` says whether the page at a URL is one. */
export function createOpenPages(hasSdk: (url: string) => boolean): OpenPages {
  const open = new Set<Tab>();
  let most = 0;
  return {
    most: () => most,
    follow(tab, url) {
      let atUrl = url;
      const arrive = (url: string): void => {
        atUrl = url;
        if (hasSdk(url)) open.add(followed);
        else open.delete(followed);
        most = Math.max(most, open.size);
      };
      const followed: Tab = {
        ...tab,
        async goto(url) {
          await tab.goto(url);
          arrive(url);
        },
        async back(path) {
          await tab.back(path);
          arrive(new URL(path, atUrl).href);
        },
        async close() {
          await tab.close();
          open.delete(followed);
        },
        async crash() {
          await tab.crash();
          open.delete(followed);
        },
      };
      arrive(url);
      return followed;
    },
    async closeAll() {
      for (const tab of [...open]) await tab.close();
    },
  };
}
