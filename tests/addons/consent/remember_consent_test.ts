import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { ConsentState } from "../../../mod.ts";
import { createClient } from "../../../src/client/mod.ts";
import {
  rememberConsent,
  type RememberConsentOptions,
  type RememberedConsent,
} from "../../../src/addons/consent/mod.ts";
import { createTestBrowser } from "../../../src/testing/mod.ts";
import { createTestClient, openPage } from "./page.ts";

/** A page with cookies, which another page can change; `isBlocked`: the browser takes none. */
function openCookiePage(
  { cookie = "", referrer = "", protocol = "https:", hostname = "shop.example", isBlocked = false } = {},
) {
  /** Pairs of name and value, by name and domain. */
  const cookies = new Map<string, string>();
  const written: string[] = [];
  const set = (text: string): void => {
    written.push(text);
    const [pair = "", ...attributes] = text.split("; ");
    const [name = ""] = pair.split("=");
    const id = [name, attributes.find((each) => each.startsWith("Domain="))].join(";");
    if (attributes.includes("Max-Age=0")) cookies.delete(id);
    else if (!isBlocked && name) cookies.set(id, pair);
  };
  set(cookie);
  written.length = 0;
  const document = Object.defineProperty(Object.assign(new EventTarget(), { referrer }), "cookie", {
    get: () => [...cookies.values()].join("; "),
    set,
  });
  const cookieStore = new EventTarget();
  const location = { origin: `${protocol}//${hostname}`, hostname, protocol };
  const page = openPage({ document, cookieStore, location });
  return {
    written,
    /** Sets a cookie as another page does. */
    setElsewhere(text: string): void {
      set(text);
      cookieStore.dispatchEvent(new Event("change"));
    },
    /** Sets a cookie that this page isn't told of. */
    setUnheard: set,
    [Symbol.dispose]: () => page[Symbol.dispose](),
  };
}

function follow(initial: ConsentState = "pending", options?: RememberConsentOptions) {
  const client = createTestClient(initial);
  const steps: string[] = [];
  const asked: boolean[] = [];
  const consent = rememberConsent({ ...client, step: (name) => void steps.push(name) }, options);
  consent.onChange((mustAsk) => asked.push(mustAsk));
  return { consent, states: client.states, steps, asked };
}

/** Lets the page sleep in the back/forward cache, and wakes it: `whileAsleep` is what other pages do. */
async function sleep(whileAsleep: () => void): Promise<void> {
  dispatchEvent(Object.assign(new Event("pagehide"), { persisted: true }));
  whileAsleep();
  dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  await new Promise((resolve) => setTimeout(resolve));
}

for (
  const [cookie, options, saved, mustAsk] of [
    ["", {}, "pending", true],
    ["consent=granted", {}, "granted", false],
    ["consent=denied", {}, "denied", false],
    ["consent=yes", {}, "pending", true],
    ["xconsent=granted", {}, "pending", true],
    ["choice=denied", { name: "choice" }, "denied", false],
  ] as const
) {
  Deno.test(`rememberConsent() starts as ${saved} with the cookie "${cookie}"`, () => {
    using _page = openCookiePage({ cookie });
    const { consent, asked, states } = follow("pending", options);

    assertEquals([consent.saved(), consent.mustAsk(), asked, states], [saved, mustAsk, [mustAsk], []]);
    consent.stop();
  });
}

Deno.test("rememberConsent() saves a choice, tells the client, and steps for a grant alone", () => {
  using page = openCookiePage();
  const { consent, states, steps, asked } = follow();

  consent.choose("granted");
  consent.choose("granted");
  consent.choose("denied");
  consent.choose("pending");

  assertEquals(page.written, [
    "consent=granted; Path=/; Max-Age=15552000; Secure; SameSite=Lax",
    "consent=granted; Path=/; Max-Age=15552000; Secure; SameSite=Lax",
    "consent=denied; Path=/; Max-Age=15552000; Secure; SameSite=Lax",
    "consent=pending; Path=/; Max-Age=0; Secure; SameSite=Lax",
  ]);
  assertEquals(states, ["granted", "granted", "denied", "pending"]);
  assertEquals([steps, asked], [["$consent"], [true, false, true]]);
  consent.stop();
});

Deno.test("rememberConsent() keeps the choice for all subdomains, on http too", () => {
  using page = openCookiePage({ cookie: "choice=denied", protocol: "http:" });
  const { consent } = follow("denied", { name: "choice", days: 1, domain: "shop.example" });

  consent.choose("granted");

  assertEquals(consent.saved(), "granted");
  assertEquals(page.written, [
    "choice=; Path=/; Max-Age=0; SameSite=Lax",
    "choice=granted; Domain=shop.example; Path=/; Max-Age=86400; SameSite=Lax",
  ]);
  consent.stop();
});

for (const [before, choice] of [["denied", "granted"], ["granted", "denied"], ["granted", "pending"]] as const) {
  for (const domain of ["www.shop.example", "eu.www.shop.example"]) {
    Deno.test(`rememberConsent() for a domain has ${choice} in the place of what ${domain} had`, () => {
      using _page = openCookiePage({
        cookie: `consent=${before}; Domain=${domain}`,
        hostname: "eu.www.shop.example",
      });
      const { consent } = follow(before, { domain: ".Shop.example" });

      consent.choose(choice);

      const next = follow("pending", { domain: ".Shop.example" }).consent;
      assertEquals(next.saved(), choice);
      for (const each of [consent, next]) each.stop();
    });
  }
}

Deno.test("rememberConsent() hears of other tabs until its end, and leaves the step to the tab of the choice", async () => {
  using time = new FakeTime();
  using page = openCookiePage({ referrer: "https://news.example/" });
  const { consent, states, steps, asked } = follow();
  await Promise.resolve();

  page.setElsewhere("consent=granted");
  page.setElsewhere("other=1");
  await time.tickAsync(500);
  page.setElsewhere("consent=denied");
  page.setElsewhere("consent=; Max-Age=0");
  page.setElsewhere("consent=granted");
  consent.stop();
  await time.tickAsync(10_000);

  assertEquals(states, ["granted", "denied"]); // a denial isn't taken back without an answer
  assertEquals([steps, asked], [[], [true, false, true, false]]);
});

Deno.test("rememberConsent() applies another tab's grant half a second later, and hides the banner at once", async () => {
  using time = new FakeTime();
  using page = openCookiePage();
  const { consent, states, asked } = follow();
  await Promise.resolve();

  page.setElsewhere("consent=granted");
  await time.tickAsync(499);
  const early = [...states];
  await time.tickAsync(1);

  assertEquals([early, states, asked], [[], ["granted"], [true, false]]);
  consent.stop();
});

for (
  const [what, states, say] of [
    ["another tab declines", ["denied"], (page) => page.setElsewhere("consent=denied")],
    [
      "another tab declines, of which the browser tells nothing",
      ["denied"],
      (page) => page.setUnheard("consent=denied"),
    ],
    ["the visitor declines here", ["denied"], (_page, consent) => consent.choose("denied")],
    ["another tab forgets the choice", [], (page) => page.setElsewhere("consent=; Max-Age=0")],
    ["another tab declines and accepts", ["denied", "granted"], (page) => {
      page.setElsewhere("consent=denied");
      page.setElsewhere("consent=granted");
    }],
  ] satisfies readonly (readonly [
    string,
    readonly ConsentState[],
    (page: ReturnType<typeof openCookiePage>, consent: RememberedConsent) => void,
  ])[]
) {
  Deno.test(`rememberConsent() becomes ${states.join(", then ") || "nothing"} where ${what} within that half a second`, async () => {
    using time = new FakeTime();
    using page = openCookiePage();
    const { consent, states: seen } = follow();
    await Promise.resolve();

    page.setElsewhere("consent=granted");
    await time.tickAsync(300);
    say(page, consent);
    await time.tickAsync(499);
    const early = [...seen];
    await time.tickAsync(10_000);

    assertEquals([early.includes("granted"), seen], [false, states]);
    consent.stop();
  });
}

Deno.test("rememberConsent() hears a denial of another tab that comes while the client hears of a grant", async () => {
  using time = new FakeTime();
  using page = openCookiePage();
  const client = createTestClient();
  const consent = rememberConsent({
    ...client,
    setConsent(state) {
      client.setConsent(state);
      if (state === "granted") page.setUnheard("consent=denied");
    },
  });
  await Promise.resolve();

  page.setElsewhere("consent=granted");
  await time.tickAsync(500);
  page.setElsewhere("other=1");

  assertEquals(client.states, ["granted", "denied"]);
  consent.stop();
});

for (const [name, choice] of [["declined", "denied"], ["accepted", "granted"]] as const) {
  Deno.test(`rememberConsent() knows that the visitor ${name} while the page slept, or was prerendered`, async () => {
    using page = openCookiePage();
    const { consent, states, steps, asked } = follow();

    await sleep(() => page.setUnheard(`consent=${choice}`));
    assertEquals([states, steps, asked], [[choice], [], [true, false]]);

    page.setUnheard(`consent=${choice === "denied" ? "granted" : "denied"}`);
    dispatchEvent(new Event("prerenderingchange"));
    assertEquals(states.length, 2);
    consent.stop();
  });
}

Deno.test("rememberConsent() grants again where the client took emptied storage for a denial", async () => {
  using _page = openCookiePage({ cookie: "consent=granted" });
  const client = createTestClient("granted");
  // As the client does, which hears of the same events behind it.
  const consent = rememberConsent(client);
  const deny = () => client.setConsent("denied");
  addEventListener("pageshow", deny, true);

  await sleep(() => {});

  removeEventListener("pageshow", deny, true);
  assertEquals(client.states, ["denied", "granted"]);
  consent.stop();
});

Deno.test("rememberConsent() moves a client that was started without the saved choice", async () => {
  using _page = openCookiePage({ cookie: "consent=granted" });
  const page = createTestBrowser().open("https://shop.example/");
  const client = createClient({ apiKey: "pk_live_123", consent: "pending" }, page.environment);

  const consent = rememberConsent(client);
  await Promise.resolve();
  await Promise.resolve();

  assertEquals(client.getConsent(), "granted");
  consent.stop();
});

Deno.test("rememberConsent() holds a choice for the page where the browser takes no cookie", () => {
  using _page = openCookiePage({ isBlocked: true });
  const { consent, states, asked } = follow();

  consent.choose("denied");

  assertEquals([consent.saved(), states, asked], ["denied", ["denied"], [true, false]]);
  consent.stop();
});

Deno.test("rememberConsent() brings no choice back that no cookie keeps, once another tab has denied", async () => {
  using _page = openCookiePage({ isBlocked: true });
  const client = createTestClient();
  const consent = rememberConsent(client);
  consent.choose("granted");

  await sleep(() => client.setConsent("denied")); // as the client does, which hears of it by its own key

  assertEquals([client.states, consent.saved()], [["granted", "denied"], "denied"]);
  consent.stop();
});

Deno.test("rememberConsent() keeps a listener that throws from the page, and from the other listeners", () => {
  using page = openCookiePage();
  const { consent, states, asked } = follow();
  const heard: boolean[] = [];
  consent.onChange(() => {
    throw new Error("costs nothing");
  });
  consent.onChange((mustAsk) => heard.push(mustAsk));

  consent.choose("granted");
  page.setElsewhere("consent=; Max-Age=0");

  assertEquals([states, asked, heard], [["granted", "pending"], [true, false, true], [true, false, true]]);
  consent.stop();
});

Deno.test("rememberConsent() takes Global Privacy Control for a denial until the visitor accepts", () => {
  const navigator = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: { globalPrivacyControl: true }, configurable: true });
  try {
    using _page = openCookiePage();
    const { consent, states, asked } = follow("denied", { gpc: "denied" });
    const before = [consent.saved(), consent.mustAsk()];

    consent.choose("granted");
    const after = consent.saved();
    consent.choose("pending");

    assertEquals([before, after, consent.saved()], [["denied", false], "granted", "denied"]);
    assertEquals([states, asked], [["granted", "denied"], [false]]);
    consent.stop();
  } finally {
    if (navigator) Object.defineProperty(globalThis, "navigator", navigator);
  }
});

Deno.test("rememberConsent() does nothing where there is no document, and asks nobody", () => {
  const { consent, states, asked } = follow();

  consent.choose("granted");
  consent.stop();

  assertEquals([consent.saved(), consent.mustAsk(), states, asked], ["pending", false, [], [false]]);
});

for (const client of [null, undefined, {}, "Vendor"]) {
  Deno.test(`rememberConsent() keeps the choice, and throws nothing, where the client is ${JSON.stringify(client)}`, () => {
    using page = openCookiePage();

    const consent = rememberConsent(client as never, null as never);
    consent.choose("granted");

    assertEquals([consent.saved(), consent.mustAsk(), page.written.length], ["granted", false, 1]);
    consent.stop();
  });
}
