import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { Vendor } from "../../../mod.ts";
import { auto, type AutoOptions } from "../../../src/addons/auto/mod.ts";
import type { Typed } from "../../../src/plan/mod.ts";
import { createClient } from "../../../src/client/mod.ts";
import { createTestBrowser } from "../../../src/testing/mod.ts";
import { withWindow } from "../../client/platform/window_scope.ts";
import { autoTest } from "./page.ts";

const BOTH = { outbound: { ownOrigins: ["https://help.shop.example/"] }, downloads: true };

const LINKS: readonly (readonly [string, string, readonly (readonly [string, unknown])[]])[] = [
  [
    "another origin",
    `<a href="https://ann:secret@tea.example/a/b?token=1#top"><b>x</b></a>`,
    [["$outbound", { url: "https://tea.example/a/b" }]],
  ],
  ["the page's origin", `<a href="/basket">x</a>`, []],
  ["an origin of one's own", `<a href="https://help.shop.example/faq">x</a>`, []],
  ["a mail address", `<a href="mailto:ann@mail.example">x</a>`, []],
  ["a phone number", `<a href="tel:+431234">x</a>`, []],
  ["a script", `<a href="javascript:void 0">x</a>`, []],
  ["no address", `<a>x</a>`, []],
  ["a file", `<a href="/files/List.PDF?user=7">x</a>`, [["$download", { url: "https://shop.example/files/List.PDF" }]]],
  ["a file elsewhere", `<a href="https://cdn.example/a.zip">x</a>`, [["$download", {
    url: "https://cdn.example/a.zip",
  }]]],
  ["a file by attribute", `<a href="/export" download>x</a>`, [["$download", { url: "https://shop.example/export" }]]],
  ["an ending in the query", `<a href="/view?file=a.pdf">x</a>`, []],
  ["an area", `<map><area href="https://tea.example/map"></map>`, [["$outbound", { url: "https://tea.example/map" }]]],
  [
    "an SVG link",
    `<svg><a href="https://tea.example/svg"><text>x</text></a></svg>`,
    [["$outbound", { url: "https://tea.example/svg" }]],
  ],
];

for (const [what, markup, expected] of LINKS) {
  autoTest(`auto() records a link to ${what} as it should`, { options: BOTH }, async ({ html, scope, sent }) => {
    const root = html(markup);
    const target = root.querySelector("text, b, area") ?? root;
    target.dispatchEvent(new scope.MouseEvent("click", { bubbles: true, composed: true, cancelable: true }));
    assertEquals(await sent(), expected);
  });
}

autoTest("auto() hears the middle button, not the right one, and no listener of the page keeps a click", {
  options: { outbound: true },
}, async ({ html, scope, sent }) => {
  const link = html(`<a href="https://tea.example/">x</a>`);
  link.addEventListener("click", (event) => event.stopImmediatePropagation());
  for (const button of [1, 2]) {
    link.dispatchEvent(new scope.MouseEvent("auxclick", { bubbles: true, cancelable: true, button }));
  }
  const click = new scope.MouseEvent("click", { bubbles: true, cancelable: true, detail: 0 });
  link.dispatchEvent(click);
  assertEquals((await sent()).length, 2);
});

autoTest(
  "auto() finds links in an open shadow tree",
  { options: { outbound: true } },
  async ({ html, scope, sent }) => {
    const root = html(`<my-card></my-card>`).attachShadow({ mode: "open" });
    root.innerHTML = `<a href="https://tea.example/shadow"><i>x</i></a>`;
    root.querySelector("i")?.dispatchEvent(new scope.MouseEvent("click", { bubbles: true, composed: true }));
    assertEquals(await sent(), [["$outbound", { url: "https://tea.example/shadow" }]]);
  },
);

autoTest("auto() listens under granted consent alone, also after another init", {
  config: { consent: "pending" },
  options: { outbound: true },
}, async ({ html, scope, client, stop, sent }) => {
  const added: string[] = [];
  using _add = stub(scope.document, "addEventListener", (type: string) => void added.push(type));
  using _remove = stub(
    scope.document,
    "removeEventListener",
    (type: string) => void added.splice(added.indexOf(type), 1),
  );
  html(`<a href="https://tea.example/">x</a>`);
  assertEquals(added, []);
  client.setConsent("granted");
  assertEquals(added, ["click", "auxclick"]);
  client.setConsent("granted");
  assertEquals(added.length, 2);
  client.setConsent("pending");
  assertEquals(added, []);
  client.setConsent("granted");
  client.setConsent("denied");
  assertEquals(added, []);
  client.setConsent("granted");
  stop();
  assertEquals(added, []);
  client.setConsent("pending");
  client.setConsent("granted");
  assertEquals(added, []);
  assertEquals(await sent(), []);
});

autoTest("auto() stops where another tab denies", { options: { outbound: true } }, async (stage) => {
  const { browser, client, html, scope, page } = stage;
  const link = html(`<a href="https://tea.example/">x</a>`);
  const other = browser.open("https://shop.example/");
  const { createClient } = await import("../../../src/client/mod.ts");
  const there = createClient({ apiKey: "pk_test" }, other.environment);
  there.step("seen");
  client.step("seen");
  await browser.advance(6000);
  there.setConsent("denied");
  await browser.settle();
  assertEquals(client.getConsent(), "denied");
  link.dispatchEvent(new scope.MouseEvent("click", { bubbles: true }));
  await browser.advance(6000);
  assertEquals(page.logs, []); // no call was held back either
  assertEquals(page.events.map(({ name }) => name), ["seen"]);
  there.close();
});

autoTest("auto() that is called again counts nothing twice, warns, and returns the first one's end", {
  options: { outbound: true },
}, async ({ client, html, scope, sent, stop }) => {
  using warn = stub(console, "warn");
  const link = html(`<a href="https://tea.example/">x</a>`);
  const click = (): boolean => link.dispatchEvent(new scope.MouseEvent("click", { bubbles: true, cancelable: true }));

  const again = auto(client, { outbound: true, forms: true });
  click();
  assertEquals([await sent(), again === stop, warn.calls.map(({ args }) => args[0])], [
    [["$outbound", { url: "https://tea.example/" }]],
    true,
    ["[Vendor] auto() runs already: the options of its first call hold"],
  ]);

  again();
  click();
  assertEquals((await sent()).length, 1);
  const anew = auto(client, { outbound: true });
  click();
  assertEquals([(await sent()).length, warn.calls.length], [2, 1]);
  anew();
});

Deno.test("auto() warns of what is no client, and takes typed ones where there is no page", () => {
  using warn = stub(console, "warn");
  // @ts-expect-error: no client
  auto({}, { outbound: true })();
  assertEquals(warn.calls.length, 1);
  const typed: Typed<{ readonly signup: undefined }> = Vendor;
  auto(typed, BOTH)();
  assertEquals(warn.calls.length, 1);
});

/** Options that JavaScript may pass, and what a click on a link to a file elsewhere is then. */
const MALFORMED: readonly (readonly [options: unknown, name: string | undefined])[] = [
  [undefined, undefined],
  [null, undefined],
  [{ outbound: { ownOrigins: "https://help.shop.example" } }, undefined],
  [{ outbound: { ownOrigins: [null, 7] } }, "$outbound"],
  [{ outbound: { ownOrigins: null }, downloads: { endings: null } }, "$download"],
  [{ downloads: { endings: "pdf" } }, "$download"],
  [{ outbound: true, downloads: { endings: [null] } }, "$outbound"],
];

for (const [options, name] of MALFORMED) {
  // The types forbid them.
  const forbidden = options as AutoOptions;
  autoTest(`auto() throws nothing for ${JSON.stringify(options)}`, { options: forbidden }, async (stage) => {
    const { html, scope, sent } = stage;
    const url = "https://help.shop.example/list.pdf";
    const link = html(`<a href="${url}">x</a>`);
    link.dispatchEvent(new scope.MouseEvent("click", { bubbles: true }));
    assertEquals((await sent()).map((event) => [...event]), name ? [[name, { url }]] : []);
  });
}

autoTest("auto() takes endings with a dot in them, whatever their case", {
  options: { downloads: { endings: ["tar.gz", ".Min.JS", ""] } },
}, async ({ html, scope, sent }) => {
  for (const path of ["/a.tar.gz", "/a.gz", "/b.TAR.GZ?x=1", "/tar.gz", "/c.min.js", "/amin.js", "/d."]) {
    const link = html(`<a href="https://shop.example${path}">x</a>`);
    link.dispatchEvent(new scope.MouseEvent("click", { bubbles: true, cancelable: true }));
  }
  const paths = (await sent()).map(([, properties]) =>
    new URL(String(Reflect.get(Object(properties), "url"))).pathname
  );
  assertEquals(paths, ["/a.tar.gz", "/b.TAR.GZ", "/c.min.js"]);
});

Deno.test("auto() warns of options that it doesn't have", () =>
  withWindow("https://shop.example/", (scope) => {
    Object.assign(globalThis, { document: scope.document });
    try {
      using warn = stub(console, "warn");
      const client = createClient(
        { apiKey: "pk_test", consent: "denied" },
        createTestBrowser().open("https://shop.example/").environment,
      );

      auto(client, { outboundLinks: true, Clicks: true, forms: true } as AutoOptions)();

      assertEquals(warn.calls.map(({ args }) => args[0]), [
        "[Vendor] auto() has no option outboundLinks",
        "[Vendor] auto() has no option Clicks",
      ]);
      client.close();
    } finally {
      Reflect.deleteProperty(globalThis, "document");
    }
    return Promise.resolve();
  }));
