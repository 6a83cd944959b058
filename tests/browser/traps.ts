import { script } from "./html.ts";

declare global {
  /** What was touched since {@linkcode TRAP_SCRIPT} ran: `Document.cookie`, `Storage.getItem`. */
  var touched: string[];
}

/**
 * A script that traps whatever tells a visitor or a device apart, and goes on to the original. It has to run before
 * the SDK loads. The lists are those of the guidelines on access to the terminal (FACTS, "Before consent").
 */
export const TRAP_SCRIPT: string = script((fields: Readonly<Record<string, readonly string[]>>) => {
  globalThis.touched = [];
  const scope = globalThis as unknown as Record<string, { readonly prototype: object }>;
  for (const [owner, names] of Object.entries(fields)) {
    const holder = owner === "window" ? globalThis : scope[owner]?.prototype;
    for (const name of names) {
      const descriptor = holder && Object.getOwnPropertyDescriptor(holder, name);
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
}, {
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
