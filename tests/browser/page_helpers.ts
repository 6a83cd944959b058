import { script } from "./html.ts";

declare global {
  /** Lets a moment pass, after which a `replaceState` is no redirect any more, in a page that has {@linkcode PAGE_HELPERS}. */
  var pause: () => Promise<void>;
  /** Goes back or forward, and waits until the browser has done it. */
  var traverse: (delta: number) => Promise<void>;
}

/** A script that a page runs before the SDK, for tests that navigate within it. */
export const PAGE_HELPERS: string = script(() => {
  globalThis.pause = () => new Promise((resolve) => setTimeout(resolve, 350));
  globalThis.traverse = async (delta) => {
    const arrived = new Promise((resolve) => addEventListener("popstate", resolve, { once: true }));
    history.go(delta);
    await arrived;
    await pause();
  };
});
