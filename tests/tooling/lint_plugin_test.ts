/// <reference lib="deno.unstable" />
import { assertEquals } from "@std/assert";
import plugin from "../../scripts/lint_plugin.ts";

function lint(file: string, source: string): string[] {
  return Deno.lint.runPlugin(plugin, file, source).map(({ id, message }) => `${id}: ${message}`);
}

Deno.test("import-direction lets imports follow mod, vendor, client, core, ports", () => {
  assertEquals(lint("mod.ts", `export { Vendor } from "./src/vendor.ts";`), []);
  assertEquals(lint("src/vendor.ts", `import { createClient } from "./client.ts";`), []);
  assertEquals(lint("src/client.ts", `import { createQueue } from "./queue.ts";`), []);
  assertEquals(lint("src/client.ts", `import { detectEnvironment } from "./environment/detect.ts";`), []);
  assertEquals(lint("src/queue.ts", `import type { Environment } from "./environment/environment.ts";`), []);
  assertEquals(lint("src/capture.ts", `import { SDK_VERSION } from "./version.ts";`), []);
  assertEquals(lint("src/capture.ts", `import { toIsoTimestamp } from "./environment/time.ts";`), []);
});

Deno.test("import-direction refuses imports against the direction", () => {
  assertEquals(lint("src/queue.ts", `import type { Client } from "./client.ts";`), [
    "vendor/import-direction: src/queue.ts (core) imports src/client.ts (root)",
  ]);
  assertEquals(lint("src/environment/browser.ts", `import { utf8 } from "../capture.ts";`), [
    "vendor/import-direction: src/environment/browser.ts (adapter) imports src/capture.ts (core)",
  ]);
  assertEquals(lint("src/types.ts", `export * from "./capture.ts";`), [
    "vendor/import-direction: src/types.ts (leaf) imports src/capture.ts (core)",
  ]);
  assertEquals(lint("mod.ts", `export { createClient } from "./src/client.ts";`), [
    "vendor/import-direction: mod.ts (entry) imports src/client.ts (root)",
  ]);
  assertEquals(lint("src/client.ts", `const late = () => import("./testing/mod.ts");`), [
    "vendor/import-direction: src/client.ts (root) imports src/testing/mod.ts (testing)",
  ]);
});

Deno.test("import-direction lets entry points beside the client know its types, and the client nothing of them", () => {
  assertEquals(lint("src/consent_platforms/from_cookie.ts", `import type { ConsentState } from "../types.ts";`), []);
  assertEquals(lint("src/consent_platforms/from_cookie.ts", `import { Vendor } from "../vendor.ts";`), [
    "vendor/import-direction: src/consent_platforms/from_cookie.ts (extension) imports src/vendor.ts (singleton)",
  ]);
  assertEquals(lint("src/client.ts", `import { listen } from "./consent_platforms/from_cookie.ts";`).length, 1);
});

Deno.test("import-direction lets core files know each other as types only", () => {
  assertEquals(lint("src/delivery.ts", `import type { Queue } from "./queue.ts";`), []);
  assertEquals(lint("src/delivery.ts", `import { type Queue, type Batch } from "./queue.ts";`), []);
  assertEquals(lint("src/delivery.ts", `import { createQueue, type Queue } from "./queue.ts";`), [
    "vendor/import-direction: src/delivery.ts imports src/queue.ts by value: take the collaborator as a parameter",
  ]);
  assertEquals(lint("src/delivery.ts", `import "./queue.ts";`).length, 1);
});

Deno.test("import-direction lets detect.ts alone name the adapters", () => {
  assertEquals(lint("src/environment/detect.ts", `import { createBrowser } from "./browser.ts";`), []);
  assertEquals(lint("src/client.ts", `import { createBrowser } from "./environment/browser.ts";`), [
    "vendor/import-direction: src/client.ts (root) imports src/environment/browser.ts (adapter)",
  ]);
  assertEquals(lint("src/queue.ts", `import type { Browser } from "./environment/headless.ts";`).length, 1);
  assertEquals(lint("src/queue.ts", `import { detect } from "./environment/detect.ts";`).length, 1);
});

Deno.test("import-direction keeps packages out of the client, and of the ingest all but Node's own and optional peers", () => {
  assertEquals(lint("src/queue.ts", `import { delay } from "jsr:@std/async";`), [
    `vendor/import-direction: src/queue.ts imports "jsr:@std/async": the client has no dependencies`,
  ]);
  assertEquals(lint("src/ingest/sinks/sqlite/sqlite_sink.ts", `import { DatabaseSync } from "node:sqlite";`), []);
  assertEquals(lint("src/ingest/request/read_batch.ts", `import * as v from "valibot";`), []);
  assertEquals(lint("src/client.ts", `import * as v from "valibot";`).length, 1);
  assertEquals(lint("src/ingest/handler.ts", `import { Hono } from "npm:hono";`).length, 1);
  assertEquals(
    lint("src/ingest/sinks/jetstream/jetstream_modules.ts", `const client = () => import("@nats-io/jetstream");`),
    [],
  );
  assertEquals(lint("src/capture.ts", `const client = () => import("@nats-io/jetstream");`).length, 1);
});

Deno.test("import-direction leaves tests and scripts alone", () => {
  assertEquals(lint("tests/queue_test.ts", `import { createQueue } from "../src/queue.ts";`), []);
  assertEquals(lint("scripts/size.ts", `import * as esbuild from "esbuild";`), []);
});

Deno.test("platform-globals refuses platform globals in the core", () => {
  assertEquals(lint("src/queue.ts", `export const now = () => Date.now();`), [
    `vendor/platform-globals: src/queue.ts uses the platform's "Date"`,
  ]);
  assertEquals(
    lint("src/queue.ts", `export function isLocal(): boolean { return typeof localStorage === "object"; }`),
    [
      `vendor/platform-globals: src/queue.ts uses the platform's "localStorage"`,
    ],
  );
  assertEquals(lint("src/queue.ts", `export const send = () => { setTimeout(() => fetch("/"), 1); };`).length, 2);
  assertEquals(lint("src/vendor.ts", `export const url = () => globalThis.location.href;`).length, 1);
  assertEquals(lint("mod.ts", `export const title = () => document.title;`).length, 1);
  assertEquals(lint("src/queue.ts", `export const f = ({ at = Date.now() }) => ({ at, screen });`).length, 2);
  assertEquals(lint("src/queue.ts", `export const f = (x: unknown) => x instanceof Date;`).length, 1);
});

Deno.test("platform-globals tells a member, a key or a name of our own from the global", () => {
  assertEquals(lint("src/context.ts", `export const size = (page: Page) => page.screen();`), []);
  assertEquals(lint("src/context.ts", `export const f = (page: Page) => ({ location: page.url() });`), []);
  assertEquals(lint("src/context.ts", `export const f = ({ history }: Page) => history.length;`), []);
  assertEquals(lint("src/context.ts", `interface Page { screen(): Size; location: string; }`), []);
  assertEquals(lint("src/context.ts", `export const f = (screen: Size) => screen.width;`), []);
  assertEquals(lint("src/context.ts", `type F = (location: string) => void;`), []);
  assertEquals(lint("src/context.ts", `type Size = ReturnType<typeof page.screen>;`), []);
  assertEquals(lint("src/context.ts", `type Size = typeof screen.width;`).length, 1);
  assertEquals(
    lint("src/context.ts", `export const f = (page: Page) => { const { document } = page; return document; };`),
    [],
  );
});

Deno.test("platform-globals lets the platform be used at the rim, and the clock in testing", () => {
  assertEquals(lint("src/environment/browser.ts", `export const now = () => Date.now();`), []);
  assertEquals(lint("src/ingest/handler.ts", `export const now = () => Date.now();`), []);
  assertEquals(lint("src/testing/clock.ts", `export const iso = () => new Date(0).toISOString();`), []);
  assertEquals(lint("src/testing/clock.ts", `export const send = () => fetch("/");`).length, 1);
});

Deno.test("module-state refuses variables at module level but in vendor.ts", () => {
  assertEquals(lint("src/queue.ts", `let count = 0;`), [
    "vendor/module-state: src/queue.ts keeps state at module level",
  ]);
  assertEquals(lint("src/queue.ts", `export let count = 0;`).length, 1);
  assertEquals(lint("src/queue.ts", `var count = 0;`).length, 1);
  assertEquals(lint("src/vendor.ts", `let client: Client | undefined;`), []);
  assertEquals(lint("src/queue.ts", `export function f() { let count = 0; return count; }`), []);
  assertEquals(lint("scripts/size.ts", `let count = 0;`), []);
});

Deno.test("module-state refuses what runs at import", () => {
  assertEquals(lint("src/queue.ts", `register();`), ["vendor/module-state: src/queue.ts has a side effect at import"]);
  assertEquals(lint("src/queue.ts", `if (true) { register(); }`).length, 1);
  assertEquals(lint("src/queue.ts", `export const A = 1; export default function f() {} class B {} type C = 1;`), []);
});
