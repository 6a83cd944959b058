/** A page without the cost of one: what the SDK's browser environment reads, and nothing behind it. */
export interface BareWindow {
  /** The global object to make a browser environment of. */
  readonly scope: unknown;
  /** Bodies of the requests so far. */
  readonly bodies: readonly string[];
  /** Runs the timers that are set, whatever their delay. */
  runTimers(): void;
}

/**
 * Creates a page of plain objects: its timers wait for a call, its requests are never answered and its storage forgets.
 * What a call costs on it is the SDK's own share.
 */
export function createBareWindow(): BareWindow {
  const bodies: string[] = [];
  const timers = new Map<number, () => void>();
  const target = { addEventListener: (): void => {}, removeEventListener: (): void => {} };
  const location = {
    href: "https://shop.example/p1?utm_source=bench",
    origin: "https://shop.example",
    pathname: "/p1",
    protocol: "https:",
  };
  const scope = {
    ...target,
    document: { ...target, title: "Bench page", referrer: "", visibilityState: "visible", nodeType: 9 },
    location,
    navigator: { onLine: true },
    screen: { width: 1280, height: 800 },
    crypto,
    performance,
    history: { pushState: (): void => {}, replaceState: (): void => {} },
    localStorage: {
      getItem: (): null => null,
      setItem: (): void => {},
      removeItem: (): void => {},
    },
    setTimeout: (callback: () => void): number => {
      timers.set(timers.size, callback);
      return timers.size - 1;
    },
    clearTimeout: (timer: number): void => {
      timers.set(timer, () => {});
    },
    fetch: (_url: string, { body }: { readonly body: string }): Promise<never> => {
      bodies.push(body);
      return new Promise<never>(() => {});
    },
    Request,
  };
  return {
    scope,
    bodies,
    runTimers() {
      for (const callback of [...timers.values()]) callback();
    },
  };
}
