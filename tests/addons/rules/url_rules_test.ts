import { assertEquals, assertThrows } from "@std/assert";
import { dropQuery, keepQuery, maskPath, type Rule } from "../../../src/addons/rules/mod.ts";

function apply(rule: Rule, url: string, referrer = ""): readonly (string | undefined)[] {
  const event = rule({ kind: "step", name: "a", url, referrer, title: "" });
  return [event?.url, event?.referrer];
}

const CASES: readonly (readonly [what: string, rule: Rule, url: string, expected: string])[] = [
  [
    "keeps the named",
    keepQuery(["utm_*", "q"]),
    "?q=tea&token=1&utm_source=a&utm_medium=b",
    "?q=tea&utm_source=a&utm_medium=b",
  ],
  ["keeps each value of a name", keepQuery(["q"]), "?q=1&Q=2&q=3", "?q=1&q=3"],
  ["takes a name literally", keepQuery(["a.c", "[x]"]), "?abc=1&a.c=2&[x]=3&x=4", "?a.c=2&[x]=3"],
  [
    "keeps text as it was written",
    keepQuery(["q", "ä"]),
    "?q=%CF%F0&x=1&q=a%20b&q=c+d&%C3%A4",
    "?q=%CF%F0&q=a%20b&q=c+d&%C3%A4",
  ],
  ["reads names that are encoded", keepQuery(["a b"]), "?a+b=1&a%20b=2&a%2Bb=3", "?a+b=1&a%20b=2"],
  ["leaves no question mark", keepQuery(["q"]), "?token=1", ""],
  // @ts-expect-error: from JavaScript
  ["takes null for no options", keepQuery(["q"], null), "?q=1&r=2#x", "?q=1"],
  ["drops the fragment", keepQuery(["q"]), "?q=1#access_token=1", "?q=1"],
  ["keeps the fragment where it's told", keepQuery(["q"], { keepFragment: true }), "?q=1&b=2#/teas", "?q=1#/teas"],
  ["reads the query of a fragment", keepQuery(["q"], { keepFragment: true }), "#/a?token=1&q=2", "#/a?q=2"],
  ["leaves no question mark in a fragment", dropQuery({ keepFragment: true }), "#/a?token=1", "#/a"],
  ["drops a fragment of tokens", dropQuery({ keepFragment: true }), "#access_token=1&token_type=bearer", ""],
  ["drops tokens behind a path", keepQuery(["q"], { keepFragment: true }), "#/app&id_token=1&q=2", "#/app&q=2"],
  ["drops tokens of a second fragment", dropQuery({ keepFragment: true }), "#/app#access_token=a/b", "#/app"],
  ["drops what has a value in a path", dropQuery({ keepFragment: true }), "#!/teas;token=1", "#!/teas"],
  ["keeps a path of a fragment", dropQuery({ keepFragment: true }), "#!/teas/green", "#!/teas/green"],
  ["reads a lone name as one", keepQuery("utm_*" as unknown as string[]), "?utm_source=a&u=1", "?utm_source=a"],
  ["drops all", dropQuery(), "?q=1#top", ""],
  ["drops all but the fragment", dropQuery({ keepFragment: true }), "?q=1#top", "#top"],
];

for (const [what, rule, rest, expected] of CASES) {
  Deno.test(`a rule for queries ${what}`, () => {
    const page = "https://shop.example/teas";

    assertEquals(apply(rule, page + rest, page + rest), [page + expected, page + expected]);
  });
}

Deno.test("maskPath() replaces in the path of the page and of the referrer, nowhere else", () => {
  const rule = maskPath(/\/users\/[^/]+/, "/users/:id");

  assertEquals(apply(rule, "https://shop.example/users/7/orders?from=/users/8#/users/9", "https://users/users/7"), [
    "https://shop.example/users/:id/orders?from=/users/8#/users/9",
    "https://users/users/:id",
  ]);
  assertEquals(apply(maskPath(/\d+/g, "0"), "https://shop.example/1/23"), ["https://shop.example/0/0", ""]);
});

for (const flags of ["y", "gy", "g", "iy"]) {
  Deno.test(`maskPath() masks each event with the flags ${flags}`, () => {
    const rule = maskPath(new RegExp("/users/\\d+", flags), "/users/:id");

    for (const path of ["/users/1", "/users/2", "/shop/users/3"]) {
      const expected = path.replace(/\d/, ":id");
      assertEquals(apply(rule, `https://shop.example${path}`), [`https://shop.example${expected}`, ""]);
    }
  });
}

Deno.test("keepQuery() keeps its names where URLSearchParams has no size, as in Safari 16", () => {
  const size = Object.getOwnPropertyDescriptor(URLSearchParams.prototype, "size") ?? {};
  Reflect.deleteProperty(URLSearchParams.prototype, "size");
  try {
    assertEquals(apply(keepQuery(["q"]), "https://shop.example/?q=1&b=2"), ["https://shop.example/?q=1", ""]);
  } finally {
    Object.defineProperty(URLSearchParams.prototype, "size", size);
  }
});

Deno.test("rules for URLs throw for what is none, so that it doesn't leave", () => {
  assertThrows(() => apply(dropQuery(), "no URL"), TypeError);
});
