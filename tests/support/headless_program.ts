/**
 * A server that uses the SDK. Prints what the SDK did there; ends when nothing keeps it alive.
 *
 * @module
 */
import type { InitConfig } from "../../mod.ts";

const WATCHED = [
  "setTimeout",
  "setInterval",
  "queueMicrotask",
  "fetch",
  "Request",
  "XMLHttpRequest",
  "WebSocket",
  "localStorage",
  "sessionStorage",
  "indexedDB",
  "addEventListener",
  "navigator",
  "crypto",
];

const INVALID: readonly unknown[] = [
  {},
  { apiKey: "pk", endpoint: "?" },
  { apiKey: "pk", endpoint: "http://ingest.example/" },
  { apiKey: "pk", trackPageviews: "on" },
  { apiKey: "pk", consent: "maybe" },
];

const touched: string[] = [];
const log = console.log.bind(console);
const lines: string[] = [];
for (const level of ["log", "debug", "info", "warn", "error"] as const) {
  console[level] = (line: unknown) => void lines.push(`${level}: ${line}`);
}
for (const name of WATCHED) {
  // Not all are there, and some are inherited.
  const chain = [globalThis, Object.getPrototypeOf(globalThis), EventTarget.prototype];
  const descriptor = chain.map((object) => Object.getOwnPropertyDescriptor(object, name)).find((found) => found);
  if (descriptor?.configurable === false || !(name in globalThis || descriptor)) continue;
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get() {
      touched.push(name);
      return descriptor?.get ? descriptor.get.call(globalThis) : descriptor?.value;
    },
  });
}
const namesBefore = Object.getOwnPropertyNames(globalThis);

const { Vendor } = await import("../../mod.ts");
const touchedByImport = [...touched];

const errors = INVALID.map((config) => {
  try {
    Vendor.init(config as InitConfig);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : "no Error";
  }
});
Vendor.step("before init");
Vendor.init({ apiKey: "pk", trackPageviews: "auto", consent: "pending", flushInterval: 60_000 });
const consent: string[] = [Vendor.getConsent()];
for (const state of ["granted", "denied", "pending", "granted"] as const) {
  Vendor.setConsent(state);
  consent.push(Vendor.getConsent());
  Vendor.step("signup", { plan: "pro" });
  Vendor.identify("user-1", { plan: "pro" });
  Vendor.page();
  await Vendor.flush();
  Vendor.reset();
}
Vendor.init({ apiKey: "pk", trackPageviews: true });
Vendor.step("signup", { self: globalThis });

const namesAfter = Object.getOwnPropertyNames(globalThis).filter((name) => !namesBefore.includes(name));
log(JSON.stringify({ touchedByImport, touched, errors, consent, namesAfter, lines, endedMs: Date.now() }));
