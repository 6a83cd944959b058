import { script } from "./html.ts";

declare global {
  /** What was touched since {@linkcode TRAP_SCRIPT} ran: `Document.cookie`, `Storage.getItem`. */
  var touched: string[];
}

type Fields = Readonly<Record<string, readonly string[]>>;

/** Traps fields, by what has them. */
const trap = (fields: Fields): void => {
  globalThis.touched ??= [];
  const isChromium = navigator.userAgent.includes("Chrome");
  const scope = globalThis as unknown as Record<string, { readonly prototype: object }>;
  for (const [owner, names] of Object.entries(fields)) {
    const holder = owner === "window" ? globalThis : scope[owner]?.prototype;
    for (const name of names) {
      const descriptor = holder && Object.getOwnPropertyDescriptor(holder, name);
      if (!descriptor && !isChromium) continue; // Firefox hasn't got all of Chromium's
      if (!descriptor) throw new Error(`there is no ${owner}.${name} to trap`);
      const note = () => void globalThis.touched.push(`${owner}.${name}`);
      const { get, set, value } = descriptor;
      Object.defineProperty(holder, name, {
        ...descriptor,
        ...(get && {
          get(this: unknown) {
            note();
            return get.call(this);
          },
        }),
        ...(set && {
          set(this: unknown, next: unknown) {
            note();
            set.call(this, next);
          },
        }),
        ...(typeof value === "function" && {
          value(this: unknown, ...args: readonly unknown[]) {
            note();
            return value.apply(this, args);
          },
        }),
      });
    }
  }
};

/**
 * A script that traps whatever tells a visitor or a device apart, and goes on to the original. It has to run before
 * the SDK loads. The lists are those of the guidelines on access to the terminal (FACTS, "Before consent").
 */
export const TRAP_SCRIPT: string = script(trap, {
  window: [
    "localStorage",
    "sessionStorage",
    "indexedDB",
    "caches",
    "cookieStore",
    "screen",
    "innerWidth",
    "innerHeight",
    "outerWidth",
    "outerHeight",
    "devicePixelRatio",
    "matchMedia",
    "name",
  ],
  Document: ["cookie", "title", "lastModified", "characterSet"],
  Storage: ["getItem", "setItem", "removeItem", "key", "length", "clear"],
  Screen: ["width", "height", "availWidth", "availHeight", "colorDepth", "pixelDepth", "orientation"],
  Navigator: [
    "language",
    "languages",
    "userAgent",
    "userAgentData",
    "platform",
    "vendor",
    "hardwareConcurrency",
    "deviceMemory",
    "maxTouchPoints",
    "cookieEnabled",
    "connection",
    "doNotTrack",
    "plugins",
    "sendBeacon",
  ],
  History: ["state", "length"],
  IDBFactory: ["open", "databases"],
  HTMLCanvasElement: ["getContext", "toDataURL"],
});

/** A script that traps what else events are made of, and listeners. It comes after {@linkcode TRAP_SCRIPT}. */
export const MAKING_TRAP_SCRIPT: string = script(trap, {
  Document: ["referrer"],
  Crypto: ["randomUUID", "getRandomValues"],
}) + script(() => {
  const { addEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (...args: Parameters<typeof addEventListener>) {
    globalThis.touched.push(`listener of ${args[0]}`);
    return addEventListener.apply(this, args);
  };
  globalThis.touched.length = 0;
});
