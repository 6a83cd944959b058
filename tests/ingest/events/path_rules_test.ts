import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  createPathWriter,
  findPatternProblem,
  isPathPattern,
  NO_PATH_RULES,
  type PathRules,
} from "../../../src/ingest/events/path_rules.ts";

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
  const patterns = ["/green-teas/:tea", "/a.b", "/(a|b)+", "/[a]", "/$", "/:", "*"];

  const written = write({ patterns: patterns.slice(0, -1) }, [
    ...["/green-teas/7", "/aXb", "/(a|b)+", "/ab", "/aab", "/a", "/$", "/b"],
  ]);

  assertEquals(written, ["/green-teas/:tea", "/aXb", "/(a|b)+", "/ab", "/aab", "/a", "/$", "/b"]);
  assertEquals(write({ patterns }, ["/any"]), ["*"]);
});

Deno.test("a pattern has asterisks for a part, for a segment and for several", () => {
  const cases: readonly (readonly [pattern: string, fits: readonly string[], fitsNot: readonly string[]])[] = [
    [
      "/checkout/order-received*",
      ["/checkout/order-received", "/checkout/order-received/12/", "/checkout/order-received-12"],
      ["/checkout/order", "/a/checkout/order-received"],
    ],
    ["/*/edit", ["/a/edit", "/*/edit"], ["//edit", "/edit", "/a/b/edit", "/a/edit/"]],
    ["/docs/v*/intro", ["/docs/v/intro", "/docs/v12/intro"], ["/docs/v1/2/intro", "/docs/intro"]],
    ["/img-*.png", ["/img-.png", "/img-1.2.png"], ["/img-1/2.png", "/img-png", "/img-1xpng"]],
    ["/**/help", ["/help", "/a/help", "/a/b/help"], ["/helps", "/ahelp", "/a/help/b"]],
    ["/a/**/b/*", ["/a/b/", "/a/x/b/c/d"], ["/a/b", "/ab/c"]],
    ["/a/**", ["/a/", "/a/b/c"], ["/a", "/ab"]],
    ["/:shop/*", ["/a/", "/a/b/c"], ["/a", "//b"]],
    ["/caf*", ["/caf%C3%A9", "/caf"], ["/ca"]],
  ];

  for (const [pattern, fits, fitsNot] of cases) {
    assertEquals(findPatternProblem(pattern), undefined);
    assertEquals(isPathPattern(pattern), true);
    assertEquals(write({ patterns: [pattern] }, fits), fits.map(() => pattern), pattern);
    assertEquals(write({ patterns: [pattern] }, fitsNot), fitsNot, pattern);
  }
  for (const hard of ["/a*b*c", "/**/a/**/b", "/a**", "/***", "/x/a**b/y"]) {
    assertStringIncludes(findPatternProblem(hard) ?? "", "may have one * in a segment", hard);
  }
  assertEquals(findPatternProblem("a"), "must begin with a slash");
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
