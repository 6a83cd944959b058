/** Methods that were replaced, and what looks on while they work. */
export interface Hooks {
  /** Looks at something. What fails there is no matter of the client; after the release nothing is looked at. */
  look<T>(task: () => T): T | undefined;
  /**
   * Replaces a method by one that wraps it. It's read and written by functions, for the script-tag build shortens the
   * names of members, and could not find one that is given as a text.
   */
  replace<F>(get: () => F, set: (next: F) => void, wrap: (original: F) => F): void;
  /** Puts the methods back. One that something else wrapped meanwhile stays, and only passes on. */
  release(): void;
}

/** Creates hooks that hold nothing yet. */
export function createHooks(): Hooks {
  const restores: (() => void)[] = [];
  let isReleased = false;
  return {
    look(task) {
      try {
        return isReleased ? undefined : task();
      } catch {
        return undefined; // the inspector's own fault
      }
    },
    replace(get, set, wrap) {
      const original = get();
      const own = wrap(original);
      try {
        set(own);
      } catch {
        return; // an environment or a client that its owner froze
      }
      restores.push(() => {
        if (get() === own) set(original);
      });
    },
    release() {
      isReleased = true;
      for (const restore of restores.reverse()) restore();
    },
  };
}
