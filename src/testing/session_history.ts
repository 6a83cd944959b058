/** The entries that the back and forward buttons go through, and the URL of the page. */
export interface SessionHistory {
  /** Returns the URL of the current entry. */
  url(): string;
  /**
   * Adds an entry after the current one, in place of those that came there. Takes a relative URL.
   *
   * @throws {Error} Where the URL is of another origin, as browsers do (HTML standard, 7.4.4).
   */
  push(url: string): void;
  /** Changes the URL of the current entry, and throws as `push()` does. Takes a relative URL. */
  replace(url: string): void;
  /** Goes a number of entries forward, or back where it's negative. Returns whether there was one. */
  go(delta: number): boolean;
}

/** Creates the history of a page that was loaded from the URL. */
export function createSessionHistory(url: string): SessionHistory {
  let entries: readonly string[] = [new URL(url).href];
  let index = 0;
  const current = (): string => entries[index] ?? "";
  const resolve = (relative: string): string => {
    const { href, origin } = new URL(relative, current());
    if (origin !== new URL(current()).origin) throw new Error(`A page of another origin can't be pushed: ${href}`);
    return href;
  };
  return {
    url: current,
    push(url) {
      entries = [...entries.slice(0, index + 1), resolve(url)];
      index++;
    },
    replace(url) {
      entries = entries.with(index, resolve(url));
    },
    go(delta) {
      if (entries[index + delta] === undefined) return false;
      index += delta;
      return true;
    },
  };
}
