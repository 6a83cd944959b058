import { assertEquals } from "@std/assert";
import { createPathWriter, NO_PATH_RULES, type PathRules } from "../../../src/ingest/events/path_rules.ts";

function write(changes: Partial<PathRules>, paths: readonly string[]): readonly string[] {
  return paths.map(createPathWriter({ ...NO_PATH_RULES, ...changes }));
}

Deno.test("createPathWriter() leaves paths as they are without rules", () => {
  const paths = ["/", "", "/Teas/", "/teas//", "/caf%C3%A9", "srcdoc"];

  assertEquals(write({}, paths), paths);
});

Deno.test("createPathWriter() writes a path as the first pattern that it fits", () => {
  const patterns = ["/teas/new", "/teas/:tea", "/:shop/teas/:tea", "/help/*", "/teas/*"];

  const written = write({ patterns }, [
    ...["/teas/new", "/teas/green-tea", "/teas/a%2Fb", "/north/teas/green", "/help/", "/help/a/b/c"],
    ...["/teas/green/7", "/teas/", "/teas", "/help", "/north/teas/", "/Teas/new"],
  ]);

  assertEquals(written, [
    ...["/teas/new", "/teas/:tea", "/teas/:tea", "/:shop/teas/:tea", "/help/*", "/help/*"],
    ...["/teas/*", "/teas/*", "/teas", "/help", "/north/teas/", "/Teas/new"],
  ]);
});

Deno.test("createPathWriter() takes every character of a pattern for itself", () => {
  const patterns = ["/green-teas/:tea", "/a.b", "/(a|b)+", "/a*b", "/[a]", "/$", "/:", "/a/*/b", "*"];

  const written = write({ patterns: patterns.slice(0, -1) }, [
    ...["/green-teas/7", "/aXb", "/(a|b)+", "/ab", "/aab", "/a", "/$", "/b", "/a/x/b", "/a/*/b"],
  ]);

  assertEquals(written, ["/green-teas/:tea", "/aXb", "/(a|b)+", "/ab", "/aab", "/a", "/$", "/b", "/a/x/b", "/a/*/b"]);
  assertEquals(write({ patterns }, ["/any"]), ["*"]);
});

Deno.test("createPathWriter() compares patterns as a URL has them, and lists them as they were written", () => {
  const patterns = ["/café/:tea", "/with space", "/c%61ke/", "/teas/../Deals"];
  const rules = { patterns, dropsTrailingSlash: true, ignoresCase: true };

  const written = write(rules, ["/caf%C3%A9/7", "/CAF%C3%A9/7/", "/with%20space", "/cake", "/Cake/", "/deals"]);

  assertEquals(written, ["/café/:tea", "/café/:tea", "/with space", "/c%61ke/", "/c%61ke/", "/teas/../Deals"]);
});

Deno.test("createPathWriter() drops one slash at the end, where it's asked to", () => {
  assertEquals(write({ dropsTrailingSlash: true }, ["/", "/teas/", "/teas//", "/teas"]), [
    ...["/", "/teas", "/teas/", "/teas"],
  ]);
});

Deno.test("createPathWriter() ignores case but for what is percent-encoded, where it's asked to", () => {
  const paths = ["/Teas/GREEN", "/CAF%C3%A9", "/100%", "/%ZZ", "/%%41B"];

  assertEquals(write({ ignoresCase: true }, paths), ["/teas/green", "/caf%C3%A9", "/100%", "/%zz", "/%%41b"]);
  assertEquals(write({ ignoresCase: true, patterns: ["/Teas/:Tea"] }, paths)[0], "/Teas/:Tea");
});

Deno.test("createPathWriter() takes no longer for a path that nearly fits", () => {
  const patterns = [`${"/:a".repeat(100)}/end`, `${"/:a".repeat(50)}/*`];
  const startedMs = performance.now();

  write({ patterns }, Array.from({ length: 100 }, () => "/aaaa".repeat(100)));

  assertEquals(performance.now() - startedMs < 1_000, true);
});
