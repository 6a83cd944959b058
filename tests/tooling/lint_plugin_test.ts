/// <reference lib="deno.unstable" />
import { assertEquals } from "@std/assert";
import plugin from "../../scripts/checks/lint_plugin.ts";

function lint(file: string, source: string): string[] {
  return Deno.lint.runPlugin(plugin, file, source).map(({ id, message }) => `${id}: ${message}`);
}

Deno.test("import-direction lets imports follow mod, vendor, client, core, ports", () => {
  assertEquals(lint("mod.ts", `export { Vendor } from "./src/client/vendor.ts";`), []);
  assertEquals(lint("src/client/vendor.ts", `import { createClient } from "./client.ts";`), []);
  assertEquals(lint("src/client/client.ts", `import { createQueue } from "./delivery/queue.ts";`), []);
  assertEquals(lint("src/client/client.ts", `import { detectEnvironment } from "./platform/detect.ts";`), []);
  assertEquals(
    lint("src/client/delivery/queue.ts", `import type { Environment } from "../platform/environment.ts";`),
    [],
  );
  assertEquals(lint("src/client/capture/capture.ts", `import { SDK_VERSION } from "../base/version.ts";`), []);
  assertEquals(lint("src/client/capture/capture.ts", `import { toIsoTimestamp } from "../platform/time.ts";`), []);
});

Deno.test("import-direction refuses imports against the direction", () => {
  assertEquals(lint("src/client/delivery/queue.ts", `import type { Client } from "../client.ts";`), [
    "vendor/import-direction: src/client/delivery/queue.ts (core) imports src/client/client.ts (root)",
  ]);
  assertEquals(lint("src/client/platform/browser.ts", `import { utf8 } from "../capture/capture.ts";`), [
    "vendor/import-direction: src/client/platform/browser.ts (adapter) imports src/client/capture/capture.ts (core)",
  ]);
  assertEquals(lint("src/client/base/types.ts", `export * from "../capture/capture.ts";`), [
    "vendor/import-direction: src/client/base/types.ts (leaf) imports src/client/capture/capture.ts (core)",
  ]);
  assertEquals(lint("mod.ts", `export { createClient } from "./src/client/client.ts";`), [
    "vendor/import-direction: mod.ts (entry) imports src/client/client.ts (root)",
  ]);
  assertEquals(lint("src/client/client.ts", `const late = () => import("../testing/mod.ts");`), [
    "vendor/import-direction: src/client/client.ts (root) imports src/testing/mod.ts (testing)",
  ]);
});

Deno.test("import-direction lets entry points beside the client know its types, and the client nothing of them", () => {
  assertEquals(
    lint("src/addons/consent/from_cookie.ts", `import type { ConsentState } from "../../client/base/types.ts";`),
    [],
  );
  assertEquals(lint("src/addons/consent/from_cookie.ts", `import { Vendor } from "../../client/vendor.ts";`), [
    "vendor/import-direction: src/addons/consent/from_cookie.ts (extension) imports src/client/vendor.ts (singleton)",
  ]);
  assertEquals(lint("src/client/client.ts", `import { listen } from "../addons/consent/from_cookie.ts";`).length, 1);
});

Deno.test("import-direction lets core files know each other as types only", () => {
  assertEquals(lint("src/client/delivery/delivery.ts", `import type { Queue } from "./queue.ts";`), []);
  assertEquals(lint("src/client/delivery/delivery.ts", `import { type Queue, type Batch } from "./queue.ts";`), []);
  assertEquals(lint("src/client/delivery/delivery.ts", `import { createQueue, type Queue } from "./queue.ts";`), [
    "vendor/import-direction: src/client/delivery/delivery.ts imports src/client/delivery/queue.ts by value: take the collaborator as a parameter",
  ]);
  assertEquals(lint("src/client/delivery/delivery.ts", `import "./queue.ts";`).length, 1);
});

Deno.test("import-direction lets detect.ts alone name the adapters", () => {
  assertEquals(lint("src/client/platform/detect.ts", `import { createBrowser } from "./browser.ts";`), []);
  assertEquals(lint("src/client/client.ts", `import { createBrowser } from "./platform/browser.ts";`), [
    "vendor/import-direction: src/client/client.ts (root) imports src/client/platform/browser.ts (adapter)",
  ]);
  assertEquals(
    lint("src/client/delivery/queue.ts", `import type { Browser } from "../platform/headless.ts";`).length,
    1,
  );
  assertEquals(lint("src/client/delivery/queue.ts", `import { detect } from "../platform/detect.ts";`).length, 1);
});

Deno.test("import-direction keeps packages out of the client, and of the ingest all but Node's own and optional peers", () => {
  assertEquals(lint("src/client/delivery/queue.ts", `import { delay } from "jsr:@std/async";`), [
    `vendor/import-direction: src/client/delivery/queue.ts imports "jsr:@std/async": the client has no dependencies`,
  ]);
  assertEquals(lint("src/ingest/stores/sqlite/sqlite_sink.ts", `import { DatabaseSync } from "node:sqlite";`), []);
  assertEquals(lint("src/ingest/http/read_batch.ts", `import * as v from "valibot";`), []);
  assertEquals(lint("src/client/client.ts", `import * as v from "valibot";`).length, 1);
  assertEquals(lint("src/ingest/handler.ts", `import { Hono } from "npm:hono";`).length, 1);
  assertEquals(
    lint("src/ingest/stores/jetstream/jetstream_modules.ts", `const client = () => import("@nats-io/jetstream");`),
    [],
  );
  assertEquals(lint("src/client/capture/capture.ts", `const client = () => import("@nats-io/jetstream");`).length, 1);
});

Deno.test("import-direction leaves tests and scripts alone", () => {
  assertEquals(
    lint("tests/client/delivery/queue_test.ts", `import { createQueue } from "../../../src/client/delivery/queue.ts";`),
    [],
  );
  assertEquals(lint("scripts/checks/size.ts", `import * as esbuild from "esbuild";`), []);
});

Deno.test("platform-globals refuses platform globals in the core", () => {
  assertEquals(lint("src/client/delivery/queue.ts", `export const now = () => Date.now();`), [
    `vendor/platform-globals: src/client/delivery/queue.ts uses the platform's "Date"`,
  ]);
  assertEquals(
    lint(
      "src/client/delivery/queue.ts",
      `export function isLocal(): boolean { return typeof localStorage === "object"; }`,
    ),
    [
      `vendor/platform-globals: src/client/delivery/queue.ts uses the platform's "localStorage"`,
    ],
  );
  assertEquals(
    lint("src/client/delivery/queue.ts", `export const send = () => { setTimeout(() => fetch("/"), 1); };`).length,
    2,
  );
  assertEquals(lint("src/client/vendor.ts", `export const url = () => globalThis.location.href;`).length, 1);
  assertEquals(lint("mod.ts", `export const title = () => document.title;`).length, 1);
  assertEquals(
    lint("src/client/delivery/queue.ts", `export const f = ({ at = Date.now() }) => ({ at, screen });`).length,
    2,
  );
  assertEquals(lint("src/client/delivery/queue.ts", `export const f = (x: unknown) => x instanceof Date;`).length, 1);
});

Deno.test("platform-globals tells a member, a key or a name of our own from the global", () => {
  assertEquals(lint("src/client/context.ts", `export const size = (page: Page) => page.screen();`), []);
  assertEquals(lint("src/client/context.ts", `export const f = (page: Page) => ({ location: page.url() });`), []);
  assertEquals(lint("src/client/context.ts", `export const f = ({ history }: Page) => history.length;`), []);
  assertEquals(lint("src/client/context.ts", `interface Page { screen(): Size; location: string; }`), []);
  assertEquals(lint("src/client/context.ts", `export const f = (screen: Size) => screen.width;`), []);
  assertEquals(lint("src/client/context.ts", `type F = (location: string) => void;`), []);
  assertEquals(lint("src/client/context.ts", `type Size = ReturnType<typeof page.screen>;`), []);
  assertEquals(lint("src/client/context.ts", `type Size = typeof screen.width;`).length, 1);
  assertEquals(
    lint("src/client/context.ts", `export const f = (page: Page) => { const { document } = page; return document; };`),
    [],
  );
});

Deno.test("platform-globals lets the platform be used at the rim, and the clock in testing", () => {
  assertEquals(lint("src/client/platform/browser.ts", `export const now = () => Date.now();`), []);
  assertEquals(lint("src/ingest/handler.ts", `export const now = () => Date.now();`), []);
  assertEquals(lint("src/testing/clock.ts", `export const iso = () => new Date(0).toISOString();`), []);
  assertEquals(lint("src/testing/clock.ts", `export const send = () => fetch("/");`).length, 1);
});

Deno.test("module-state refuses variables at module level but in vendor.ts", () => {
  assertEquals(lint("src/client/delivery/queue.ts", `let count = 0;`), [
    "vendor/module-state: src/client/delivery/queue.ts keeps state at module level",
  ]);
  assertEquals(lint("src/client/delivery/queue.ts", `export let count = 0;`).length, 1);
  assertEquals(lint("src/client/delivery/queue.ts", `var count = 0;`).length, 1);
  assertEquals(lint("src/client/vendor.ts", `let client: Client | undefined;`), []);
  assertEquals(lint("src/client/delivery/queue.ts", `export function f() { let count = 0; return count; }`), []);
  assertEquals(lint("scripts/checks/size.ts", `let count = 0;`), []);
});

Deno.test("module-state refuses what runs at import", () => {
  assertEquals(lint("src/client/delivery/queue.ts", `register();`), [
    "vendor/module-state: src/client/delivery/queue.ts has a side effect at import",
  ]);
  assertEquals(lint("src/client/delivery/queue.ts", `if (true) { register(); }`).length, 1);
  assertEquals(
    lint("src/client/delivery/queue.ts", `export const A = 1; export default function f() {} class B {} type C = 1;`),
    [],
  );
});
