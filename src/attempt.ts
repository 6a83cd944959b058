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
