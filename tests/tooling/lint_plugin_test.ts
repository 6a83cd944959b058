/// <reference lib="deno.unstable" />
import { assertEquals } from "@std/assert";
import plugin from "../../scripts/checks/lint_plugin.ts";

/** Returns what the plugin says of a file, without the file's name. */
function lint(file: string, source: string): readonly string[] {
  return Deno.lint.runPlugin(plugin, file, source).map(({ message }) => message.replace(`${file} `, ""));
}

/** A file, its text, and what is said of it. */
type Case = readonly [file: string, source: string, ...findings: readonly string[]];

const QUEUE = "src/client/delivery/queue.ts";
const DELIVERY = "src/client/delivery/delivery.ts";
const CAPTURE = "src/client/capture/capture.ts";
const CLIENT = "src/client/client.ts";
const BY_VALUE = `imports ${QUEUE} by value: take the collaborator as a parameter`;

const CASES: Readonly<Record<string, readonly Case[]>> = {
  "imports follow mod, vendor, client, core, ports": [
    ["mod.ts", `export { Vendor } from "./src/client/vendor.ts";`],
    ["src/client/vendor.ts", `import { createClient } from "./client.ts";`],
    [CLIENT, `import { createQueue } from "./delivery/queue.ts";`],
    [CLIENT, `import { detectEnvironment } from "./platform/detect.ts";`],
    [QUEUE, `import type { Environment } from "../platform/environment.ts";`],
    [CAPTURE, `import { SDK_VERSION } from "../base/version.ts";`],
  ],
  "imports against the direction are refused": [
    [QUEUE, `import type { Client } from "../client.ts";`, `(core) imports ${CLIENT} (root)`],
    [
      "src/client/platform/browser.ts",
      `import { a } from "../capture/capture.ts";`,
      `(adapter) imports ${CAPTURE} (core)`,
    ],
    ["src/client/base/types.ts", `export * from "../capture/capture.ts";`, `(leaf) imports ${CAPTURE} (core)`],
    ["mod.ts", `export { createClient } from "./src/client/client.ts";`, `(entry) imports ${CLIENT} (root)`],
    [CLIENT, `const late = () => import("../testing/mod.ts");`, "(root) imports src/testing/mod.ts (testing)"],
  ],
  "add-ons know the client's types, and the client nothing of them": [
    ["src/addons/consent/from_cookie.ts", `import type { ConsentState } from "../../client/base/types.ts";`],
    [
      "src/addons/consent/from_cookie.ts",
      `import { Vendor } from "../../client/vendor.ts";`,
      "(extension) imports src/client/vendor.ts (singleton)",
    ],
    [CLIENT, `import { a } from "../addons/consent/b.ts";`, "(root) imports src/addons/consent/b.ts (extension)"],
  ],
  "core files know each other as types only": [
    [DELIVERY, `import type { Queue } from "./queue.ts";`],
    [DELIVERY, `import { type Queue, type Batch } from "./queue.ts";`],
    [DELIVERY, `import { createQueue, type Queue } from "./queue.ts";`, BY_VALUE],
    [DELIVERY, `import "./queue.ts";`, BY_VALUE],
  ],
  "detect.ts alone names the adapters": [
    ["src/client/platform/detect.ts", `import { createBrowser } from "./browser.ts";`],
    [CLIENT, `import { a } from "./platform/browser.ts";`, "(root) imports src/client/platform/browser.ts (adapter)"],
    [
      QUEUE,
      `import type { A } from "../platform/headless.ts";`,
      "(core) imports src/client/platform/headless.ts (adapter)",
    ],
    [
      QUEUE,
      `import { detect } from "../platform/detect.ts";`,
      "(core) imports src/client/platform/detect.ts (detector)",
    ],
  ],
  "the client has no package, and the ingest Node's own and optional peers": [
    [QUEUE, `import { delay } from "jsr:@std/async";`, `imports "jsr:@std/async": the client has no dependencies`],
    [CLIENT, `import * as v from "valibot";`, `imports "valibot": the client has no dependencies`],
    [
      CAPTURE,
      `const a = () => import("@nats-io/jetstream");`,
      `imports "@nats-io/jetstream": the client has no dependencies`,
    ],
    ["src/ingest/stores/sqlite/sqlite_sink.ts", `import { DatabaseSync } from "node:sqlite";`],
    ["src/ingest/http/read_batch.ts", `import * as v from "valibot";`],
    ["src/ingest/stores/jetstream/jetstream_modules.ts", `const client = () => import("@nats-io/jetstream");`],
    ["src/ingest/handler.ts", `import { Hono } from "npm:hono";`, `imports "npm:hono": the client has no dependencies`],
  ],
  "tests and scripts import and keep what they like": [
    ["tests/client/delivery/queue_test.ts", `import { createQueue } from "../../../src/client/delivery/queue.ts";`],
    ["scripts/checks/size.ts", `import * as esbuild from "esbuild"; let count = 0;`],
  ],
  "platform globals are refused in the core": [
    [QUEUE, `export const now = () => Date.now();`, `uses the platform's "Date"`],
    [QUEUE, `export const f = () => typeof localStorage === "object";`, `uses the platform's "localStorage"`],
    [
      QUEUE,
      `export const send = () => { setTimeout(() => fetch("/"), 1); };`,
      `uses the platform's "setTimeout"`,
      `uses the platform's "fetch"`,
    ],
    ["src/client/vendor.ts", `export const f = () => globalThis.location.href;`, `uses the platform's "globalThis"`],
    ["mod.ts", `export const f = () => document.title;`, `uses the platform's "document"`],
    [QUEUE, `export const f = (screen = Date.now()) => screen;`, `uses the platform's "Date"`],
    [QUEUE, `export const f = () => ({ screen });`, `uses the platform's "screen"`],
    [QUEUE, `export const f = (x: unknown) => x instanceof Date;`, `uses the platform's "Date"`],
    [QUEUE, `type Size = typeof screen.width;`, `uses the platform's "screen"`],
  ],
  "a member, a key or a name of our own is no platform global": [
    [QUEUE, `export const size = (page: Page) => page.screen();`],
    [QUEUE, `export const f = (page: Page) => ({ location: page.url() });`],
    [QUEUE, `export const f = ({ history }: Page) => history.length;`],
    [QUEUE, `interface Page { screen(): Size; location: string; }`],
    [QUEUE, `export const f = (screen: Size) => screen.width;`],
    [QUEUE, `type F = (location: string) => void; type Size = ReturnType<typeof page.screen>;`],
    [QUEUE, `export const f = (page: Page) => { const { document } = page; return document; };`],
  ],
  "the platform is used at the rim, and its clock in testing": [
    ["src/client/platform/browser.ts", `export const now = () => Date.now();`],
    ["src/ingest/handler.ts", `export const now = () => Date.now();`],
    ["src/testing/clock.ts", `export const iso = () => new Date(0).toISOString();`],
    ["src/testing/clock.ts", `export const send = () => fetch("/");`, `uses the platform's "fetch"`],
  ],
  "no module but vendor.ts has state, and none a side effect": [
    [QUEUE, `let count = 0;`, "keeps state at module level"],
    [QUEUE, `export let count = 0;`, "keeps state at module level"],
    [QUEUE, `var count = 0;`, "keeps state at module level"],
    ["src/client/vendor.ts", `let client: Client | undefined;`],
    [QUEUE, `export function f() { let count = 0; return count; }`],
    [QUEUE, `register();`, "has a side effect at import"],
    [QUEUE, `if (true) { register(); }`, "has a side effect at import"],
    [QUEUE, `export const A = 1; export default function f() {} class B {} type C = 1;`],
  ],
};

for (const [rule, cases] of Object.entries(CASES)) {
  Deno.test(`deno lint: ${rule}`, () => {
    for (const [file, source, ...findings] of cases) assertEquals(lint(file, source), findings, `${file}: ${source}`);
  });
}
