/** Watches for promises that reject and that nobody handles, which would end a process. */
export function watchRejections(): { stop(): Promise<readonly unknown[]> } {
  const reasons: unknown[] = [];
  const listener = (event: PromiseRejectionEvent): void => {
    event.preventDefault();
    reasons.push(event.reason);
  };
  addEventListener("unhandledrejection", listener);
  return {
    async stop() {
      // The engine tells of them at the end of its turn.
      await new Promise((resolve) => setTimeout(resolve, 0));
      removeEventListener("unhandledrejection", listener);
      return reasons;
    },
  };
}
