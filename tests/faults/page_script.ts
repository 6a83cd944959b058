import { script } from "../browser/html.ts";

declare global {
  /** Moves the page's clock away from the machine's, in milliseconds. */
  var setClock: (offsetMs: number) => void;
}

/** What a page does beside the SDK. */
export interface PageOptions {
  /** How much of what is random in a wait is used, 0 to 1. */
  readonly jitter: number;
  /** How far the page's clock is off, in milliseconds. */
  readonly clockOffsetMs?: number;
  /** Makes `localStorage` throw as it does where the visitor blocks it. */
  readonly isStorageBlocked?: boolean;
}

/** Builds the script that runs before the SDK: it tells the site which attempts the page saw succeed. */
export function buildPageScript(options: PageOptions): string {
  return script(preparePage, options);
}

function preparePage({ jitter, clockOffsetMs = 0, isStorageBlocked = false }: PageOptions): void {
  const { fetch, Date } = globalThis;
  const { random } = Math;
  Math.random = () => random() * jitter;

  let offsetMs = clockOffsetMs;
  globalThis.setClock = (next) => {
    offsetMs = next;
  };
  Date.now = ((now) => () => now() + offsetMs)(Date.now);

  if (isStorageBlocked) {
    Object.defineProperty(globalThis, "localStorage", {
      get() {
        throw new DOMException("The operation is insecure.", "SecurityError");
      },
    });
  }

  globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok || typeof init?.body !== "string") return response;
    const [, batchId] = /"batchId":"([^"]+)"/.exec(init.body) ?? [];
    const [, sentAt] = /"sentAt":"([^"]+)"/.exec(init.body) ?? [];
    const read = response.text.bind(response);
    response.text = async () => {
      const text = await read();
      void fetch("/seen", { method: "POST", body: `${batchId} ${sentAt}`, keepalive: true }).catch(() => {});
      return text;
    };
    return response;
  };
}
