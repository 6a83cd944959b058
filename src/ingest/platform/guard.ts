/** Makes a listener safe to call: that it throws, or that what it returns rejects, is of no consequence. */
export function guard<T extends readonly unknown[]>(
  listener: ((...values: T) => void) | undefined,
): (...values: T) => void {
  return (...values) => {
    try {
      // An async function passes for one that returns nothing. Unhandled, its rejection would end the process.
      const returned: unknown = listener?.(...values);
      if (returned !== undefined) Promise.resolve(returned).catch(() => {});
    } catch {
      // A listener that throws must not turn stored events, or a report, into an error for who waits for the answer.
    }
  };
}
