import { assertEquals } from "@std/assert";
import { describeBrowsers, findNewer } from "../../scripts/package/check_engines.ts";

/** Syntax and built-ins of after the oldest browsers. */
const NEWER: readonly string[] = [
  // Syntax
  "class A { b = 1 }",
  "class A { #b() {} }",
  "class A { static { f(); } }",
  "await f();",
  'export * as a from "a"',
  "f(/(?<=a)b/)",
  "f(/a/d)",
  "f(/a/v)",
  'import a from "a" with { type: "json" }',
  // Built-ins
  "Object.hasOwn(a, b)",
  "Object.groupBy(a, b)",
  "a.at(-1)",
  "a.findLast(b)",
  "a.findLastIndex(b)",
  "a.toSorted()",
  "a.with(0, 1)",
  "a.isWellFormed()",
  "a.values().toArray()",
  "Array.fromAsync(a)",
  "Promise.withResolvers()",
  "Promise.try(a)",
  "new WeakRef(a)",
  "new FinalizationRegistry(a)",
  "a.union(b)",
  "RegExp.escape(a)",
  'new Error("a", { cause: b })',
  // The platform
  "structuredClone(a)",
  "requestIdleCallback(a)",
  "URL.canParse(a)",
  "AbortSignal.any(a)",
  "AbortSignal.timeout(1)",
  "new BroadcastChannel(a)",
  "navigator.locks.request(a, b)",
  "new CompressionStream(a)",
];

/** What the oldest browsers have. */
const OLDER: readonly string[] = [
  "a ??= b?.c ?? 1_000",
  "a ||= 1n",
  "try { f() } catch {}",
  "async function* f() { yield* await a }",
  "class A extends B { constructor() { super() } static get a() {} }",
  "f(/(?<a>.)\\p{L}/su)",
  'import("a"), import.meta.url',
  'export * from "a"',
  "a.flat().flatMap(b).map(c).filter(d)",
  "a.replaceAll(b, c)",
  "a.matchAll(b)",
  "Object.fromEntries(a)",
  "Promise.any(a), Promise.allSettled(a)",
  "globalThis.a",
  "queueMicrotask(a)",
  "new AbortController()",
  "fetch(a, { keepalive: true })",
  "new URL(a).searchParams",
  "new TextEncoder()",
];

Deno.test("the check of engines finds what the oldest browsers lack, and nothing that they have", () => {
  assertEquals(NEWER.filter((code) => findNewer(code).length === 0), []);
  assertEquals(OLDER.flatMap((code) => findNewer(code)), []);
  assertEquals(findNewer("with (a) b.at(0)", "script").length > 0, true);
  assertEquals(findNewer("a b").length > 0, true, "what can't be parsed");
});

Deno.test("the reference names the oldest browsers that the check of engines holds", async () => {
  const reference = (await Deno.readTextFile("docs/reference.md")).replace(/\s+/g, " ");

  assertEquals(reference.includes(`**Browsers**: ${describeBrowsers()} and later`), true);
});
