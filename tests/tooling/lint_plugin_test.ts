/// <reference lib="deno.unstable" />
import { assertEquals } from "@std/assert";
import { MAY_IMPORT } from "../../scripts/checks/lint/folders.ts";
import plugin from "../../scripts/checks/lint_plugin.ts";

function lint(file: string, source: string): string[] {
  return Deno.lint.runPlugin(plugin, file, source).map(({ id, message }) => `${id}: ${message}`);
}

/** Imports that the sources have, or may have: the file, and what it imports. */
const RIGHT: readonly (readonly [string, string])[] = [
  ["mod.ts", "./src/client/vendor.ts"],
  ["src/client/vendor.ts", "./instance.ts"],
  ["src/client/instance.ts", "./platform/detect.ts"],
  ["src/client/instance.ts", "./delivery/queue.ts"],
  ["src/client/platform/detect.ts", "./browser.ts"],
  ["src/client/delivery/queue.ts", "../platform/environment.ts"],
  ["src/client/capture/capture.ts", "../base/version.ts"],
  ["src/addons/consent/from_cookie.ts", "../page/cookies.ts"],
  ["src/addons/consent/from_cookie.ts", "../../client/base/types.ts"],
  ["src/ingest/handler.ts", "./http/read_batch.ts"],
  ["src/ingest/stores/file/file_sink.ts", "../../ports/sink.ts"],
  ["src/ingest/server/cli/run.ts", "../http/app.ts"],
  ["tests/client/delivery/queue_test.ts", "../../../src/client/delivery/queue.ts"],
];

/** An import against each of the rules. */
const WRONG: readonly (readonly [string, string])[] = [
  // mod -> client
  ["mod.ts", "./src/client/client.ts"],
  ["mod.ts", "./src/plan/mod.ts"],
  // The client knows nothing of its neighbours.
  ["src/client/client.ts", "../addons/rules/mod.ts"],
  ["src/client/client.ts", "../plan/mod.ts"],
  ["src/client/client.ts", "../script_tag/loader.ts"],
  ["src/client/client.ts", "../testing/mod.ts"],
  ["src/client/client.ts", "../ingest/handler.ts"],
  // base <- platform, capture, delivery <- client/
  ["src/client/base/types.ts", "../platform/environment.ts"],
  ["src/client/platform/browser.ts", "../capture/capture.ts"],
  ["src/client/platform/environment.ts", "./browser.ts"],
  ["src/client/delivery/queue.ts", "../client.ts"],
  ["src/client/delivery/queue.ts", "../capture/capture.ts"],
  ["src/client/capture/capture.ts", "../instance.ts"],
  ["src/client/hooks.ts", "./instance.ts"],
  // detect.ts alone names the adapters.
  ["src/client/instance.ts", "./platform/browser.ts"],
  ["src/client/delivery/queue.ts", "../platform/detect.ts"],
  // addons, plan, script_tag, testing -> client, without the singleton
  ["src/addons/consent/from_cookie.ts", "../../client/vendor.ts"],
  ["src/addons/consent/from_cookie.ts", "../cookie/mod.ts"],
  ["src/addons/page/page.ts", "../consent/from_cookie.ts"],
  ["src/plan/typed.ts", "../ingest/plan.ts"],
  ["src/script_tag/loader.ts", "../addons/page/page.ts"],
  ["src/testing/clock.ts", "../addons/page/page.ts"],
  // The ingest knows the contract alone, by its name.
  ["src/ingest/handler.ts", "../client/hooks.ts"],
  ["src/ingest/handler.ts", "../client/base/types.ts"],
  ["src/ingest/handler.ts", "../plan/contract.ts"],
  ["src/ingest/platform/guard.ts", "../../client/platform/time.ts"],
  ["src/ingest/handler.ts", "../testing/mod.ts"],
  // platform, contract <- keys, events, http <- ports <- stores, loader, reports <- server
  ["src/ingest/platform/guard.ts", "../contract/refusal.ts"],
  ["src/ingest/contract/refusal.ts", "../http/answers.ts"],
  ["src/ingest/events/erasures.ts", "../ports/sink.ts"],
  ["src/ingest/keys/keyring.ts", "../options.ts"],
  ["src/ingest/keys/allowance.ts", "../ports/sink.ts"],
  ["src/ingest/http/answers.ts", "../keys/keyring.ts"],
  ["src/ingest/http/answers.ts", "../ports/sink.ts"],
  ["src/ingest/ports/sink.ts", "../stores/memory/memory_sink.ts"],
  ["src/ingest/stores/memory/memory_sink.ts", "../file/file_sink.ts"],
  ["src/ingest/threads/thread.ts", "./worker/worker.ts"],
  ["src/ingest/stores/jetstream/stream_source.ts", "../../loader/loader.ts"],
  ["src/ingest/loader/loader.ts", "../handler.ts"],
  ["src/ingest/reports/reports.ts", "../stores/file/file_reader.ts"],
  ["src/ingest/handler.ts", "./reports/reports.ts"],
  ["src/ingest/handler.ts", "./server/http/app.ts"],
  ["src/ingest/server/cli/run.ts", "../../mod.ts"],
  ["src/ingest/server/ops/metrics.ts", "../http/app.ts"],
  ["src/ingest/server/http/app.ts", "../cli/run.ts"],
  ["src/ingest/server/bin.ts", "./http/app.ts"],
  // Nothing of the package knows tests or scripts.
  ["src/client/client.ts", "../../scripts/checks/size.ts"],
];

Deno.test("import-direction lets imports follow the table of folders, and refuses those against it", () => {
  const lintType = ([file, target]: readonly [string, string]): string[] =>
    lint(file, `import type { A } from "${target}";`);
  assertEquals(RIGHT.filter((row) => lintType(row).length > 0), []);
  assertEquals(WRONG.filter((row) => lintType(row).length !== 1), []);
  assertEquals(lint("src/client/base/types.ts", `export * from "../capture/capture.ts";`), [
    "vendor/import-direction: client/base/types.ts imports client/capture/capture.ts: client/base/ may not import client/capture/",
  ]);
  assertEquals(lint("src/client/client.ts", `const late = () => import("../testing/mod.ts");`).length, 1);
});

Deno.test("import-direction has a row for each folder, and no row that names a later one", () => {
  assertEquals(lint("src/loose.ts", ""), [
    "vendor/import-direction: loose.ts lies in no folder that has a row in scripts/checks/lint/folders.ts",
  ]);
  const rows = Object.keys(MAY_IMPORT);
  const isEarlier = (row: string, named: string): boolean =>
    rows.includes(named) && rows.indexOf(named) < rows.indexOf(row);
  const late = Object.entries(MAY_IMPORT).flatMap(([row, names]) => names.filter((name) => !isEarlier(row, name)));
  assertEquals(late, []);
});

Deno.test("import-direction lets what captures and what delivers know each other as types only", () => {
  assertEquals(lint("src/client/delivery/delivery.ts", `import { type Queue, type Batch } from "./queue.ts";`), []);
  assertEquals(lint("src/client/delivery/delivery.ts", `import { createQueue, type Queue } from "./queue.ts";`), [
    "vendor/import-direction: client/delivery/delivery.ts imports client/delivery/queue.ts by value: take the collaborator as a parameter",
  ]);
  assertEquals(lint("src/client/delivery/delivery.ts", `import "./queue.ts";`).length, 1);
});

Deno.test("import-direction keeps packages out of the client, and of the ingest all but Node's own and optional peers", () => {
  assertEquals(lint("src/client/delivery/queue.ts", `import { delay } from "jsr:@std/async";`), [
    `vendor/import-direction: client/delivery/queue.ts imports "jsr:@std/async": the client has no dependencies`,
  ]);
  assertEquals(lint("src/ingest/stores/file/folder_store.ts", `import { DatabaseSync } from "node:sqlite";`), []);
  assertEquals(lint("src/ingest/http/read_batch.ts", `import * as v from "valibot";`), []);
  assertEquals(lint("src/ingest/http/read_batch.ts", `import { SDK_NAME } from "@vendor/sdk/contract";`), []);
  assertEquals(lint("src/ingest/http/read_batch.ts", `import { Vendor } from "@vendor/sdk";`).length, 1);
  assertEquals(lint("src/client/client.ts", `import { SDK_NAME } from "@vendor/sdk/contract";`).length, 1);
  assertEquals(lint("src/client/client.ts", `import * as v from "valibot";`).length, 1);
  assertEquals(lint("src/ingest/handler.ts", `import { Hono } from "npm:hono";`).length, 1);
  assertEquals(
    lint("src/ingest/stores/jetstream/jetstream_modules.ts", `const client = () => import("@nats-io/jetstream");`),
    [],
  );
  assertEquals(lint("src/client/capture/capture.ts", `const client = () => import("@nats-io/jetstream");`).length, 1);
});

Deno.test("platform-globals refuses platform globals in the core", () => {
  assertEquals(lint("src/client/delivery/queue.ts", `export const now = () => Date.now();`), [
    `vendor/platform-globals: client/delivery/queue.ts uses the platform's "Date"`,
  ]);
  assertEquals(
    lint(
      "src/client/delivery/queue.ts",
      `export function isLocal(): boolean { return typeof localStorage === "object"; }`,
    ),
    [
      `vendor/platform-globals: client/delivery/queue.ts uses the platform's "localStorage"`,
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
    "vendor/module-state: client/delivery/queue.ts keeps state at module level",
  ]);
  assertEquals(lint("src/client/delivery/queue.ts", `export let count = 0;`).length, 1);
  assertEquals(lint("src/client/delivery/queue.ts", `var count = 0;`).length, 1);
  assertEquals(lint("src/client/vendor.ts", `let client: Client | undefined;`), []);
  assertEquals(lint("src/client/delivery/queue.ts", `export function f() { let count = 0; return count; }`), []);
  assertEquals(lint("scripts/checks/size.ts", `let count = 0;`), []);
});

Deno.test("module-state refuses what runs at import", () => {
  assertEquals(lint("src/client/delivery/queue.ts", `register();`), [
    "vendor/module-state: client/delivery/queue.ts has a side effect at import",
  ]);
  assertEquals(lint("src/client/delivery/queue.ts", `if (true) { register(); }`).length, 1);
  assertEquals(
    lint("src/client/delivery/queue.ts", `export const A = 1; export default function f() {} class B {} type C = 1;`),
    [],
  );
});
