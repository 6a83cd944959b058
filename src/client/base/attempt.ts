/**
 * Does what may fail on a page: browsers refuse things, and pages put something else in place of what the SDK calls.
 *
 * @returns Nothing where it failed.
 */
export const attempt: <T>(act: () => T) => T | undefined = ((act) => {
  try {
    return act();
  } catch {
    // The page goes on as without the SDK.
  }
}) satisfies typeof attempt;

/** Does what may fail on a page as soon as the code that runs now has ended. */
export async function later(act: () => void): Promise<void> {
  await null;
  attempt(act);
}

/** Returns an error as text, whatever was thrown. */
export function describeError(error: unknown): string {
  return attempt(() => String(error)) ?? "error";
}
