import type { Row } from "../row.ts";
import { withSession } from "../session.ts";

/** Counts uses of `localStorage`, its mere name included, and listeners of its event. */
const TRAP = `(() => {
  const touched = globalThis.touched = { uses: 0, listeners: 0 };
  const { addEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (type === "storage") touched.listeners++;
    return addEventListener.call(this, type, ...rest);
  };
  const countUses = (owner, name) => {
    const { get, value, ...rest } = Object.getOwnPropertyDescriptor(owner, name);
    const call = get ?? value;
    if (typeof call !== "function" || name === "constructor") return;
    const counted = function (...args) {
      if (this !== sessionStorage) touched.uses++;
      return call.apply(this, args);
    };
    Object.defineProperty(owner, name, { ...rest, ...get ? { get: counted } : { value: counted } });
  };
  Object.getOwnPropertyNames(Storage.prototype).forEach((name) => countUses(Storage.prototype, name));
  countUses(globalThis, "localStorage");
})()`;

/** More than any chain of promises in `init()`. */
const MICROTASKS = 1000;

/** Whether `init()` touches the device's storage in its own task, which then waits until the browser has opened it. */
export const STORAGE_ROW: Row = {
  id: "storage",
  columns: [
    { figure: "storageUses", title: "uses of localStorage in the task of init()" },
    { figure: "storageListeners", title: "listeners of storage events added in it" },
  ],
  isFor: ({ id }) => id !== "no-op",
  measure: (subject, bench) =>
    withSession(subject, bench, async ({ page, collector, load }) => {
      await page.evaluate(TRAP);
      await load();
      const { uses, listeners } = await page.evaluate<{ uses: number; listeners: number }>(`(async () => {
        touched.uses = touched.listeners = 0;
        sdk.init("${collector.url}");
        for (let i = 0; i < ${MICROTASKS}; i++) await null;
        return touched;
      })()`);
      return { storageUses: uses, storageListeners: listeners };
    }),
};
