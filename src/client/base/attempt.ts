/**
 * Does what may fail on a page: browsers refuse things, and pages put something else in place of what the SDK calls.
 *
 * @returns Nothing where it failed.
 */
export function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    // The page goes on as without the SDK.
  }
}

/** Does what may fail on a page as soon as the code that runs now has ended. */
export async function later(act: () => void): Promise<void> {
  await null;
  attempt(act);
}
