import { assertEquals } from "@std/assert";
import {
  type ConsentSource,
  followConsent,
  fromCookie,
  fromCookiebot,
  fromCookieConsent,
  fromKlaro,
  fromOneTrust,
  fromTcf,
} from "../../../src/addons/consent/mod.ts";
import { announceScript, createTestClient, openPage, type TestClient } from "./page.ts";

const ERROR = new Error("the platform failed");

function fail(): never {
  throw ERROR;
}

const SOURCES: Readonly<Record<string, ConsentSource>> = {
  CookieConsent: fromCookieConsent({ category: "analytics" }),
  klaro: fromKlaro({ service: "analytics" }),
  __tcfapi: fromTcf({ purposes: [1], outsideGdpr: "granted" }),
  OneTrust: fromOneTrust({ group: "C0002" }),
  Cookiebot: fromCookiebot({ category: "statistics" }),
};

/** A page whose visitor has consented, as far as the application knows, and what the developer is warned of. */
function openFailingPage(globals: PropertyDescriptorMap): Disposable & { readonly warnings: readonly unknown[] } {
  const names = Object.keys(globals).map((name) => [name, undefined]);
  const page = openPage({ OnetrustActiveGroups: ",C0001,C0002,", ...Object.fromEntries(names) });
  for (const [name, descriptor] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { ...descriptor, configurable: true });
  }
  const { warn } = console;
  const warnings: unknown[] = [];
  console.warn = (...args) => warnings.push(args);
  return {
    warnings,
    [Symbol.dispose]() {
      console.warn = warn;
      page[Symbol.dispose]();
    },
  };
}

const WARNING = ["[Vendor] the consent platform failed: no answer", ERROR];

function followGranted(source: ConsentSource): { readonly client: TestClient; readonly stop: () => void } {
  const client = createTestClient("granted");
  return { client, stop: followConsent(client, source) };
}

/** Says all that platforms say by events of the window, and that another script has run. */
async function sayAll(): Promise<void> {
  for (const name of ["OneTrustGroupsUpdated", "CookiebotOnConsentReady", "CookiebotOnDecline", "pageshow"]) {
    dispatchEvent(new Event(name));
  }
  dispatchEvent(
    new CustomEvent("cc:onChange", {
      detail: {
        cookie: {
          get categories() {
            return fail();
          },
        },
      },
    }),
  );
  announceScript();
  await new Promise((resolve) => setTimeout(resolve));
}

const FAILURES: readonly (readonly [name: string, what: string, descriptor: PropertyDescriptor])[] = [
  ...Object.keys(SOURCES).map((name) => [name, "can't be read", { get: fail }] as const),
  ["CookieConsent", "fails when it's asked", { value: { validConsent: fail } }],
  ["klaro", "can't be listened to", { value: { getManager: fail, addEventListener: fail } }],
  ["klaro", "fails in its own call", {
    value: { getManager: fail, addEventListener: (_type: string, render: (config: object) => void) => render({}) },
  }],
  ["klaro", "has a manager that can't be read", {
    value: {
      getManager: () => ({
        watch() {},
        unwatch: fail,
        get confirmed() {
          return fail();
        },
      }),
      addEventListener: (_type: string, render: (config: object) => void) => render({}),
    },
  }],
  ["__tcfapi", "fails when it's asked", { value: fail }],
  ["__tcfapi", "hands over what can't be read", {
    value: (_command: string, _version: number, callback: (data: object, isSuccess: boolean) => void) =>
      callback({
        get cmpStatus() {
          return fail();
        },
      }, true),
  }],
  ["OneTrust", "fails when it's asked", { value: { IsAlertBoxClosed: fail } }],
  ["OneTrust", "fails when it's asked for the region", {
    value: { IsAlertBoxClosed: () => false, GetDomainData: fail },
  }],
  ["Cookiebot", "has a consent that can't be read", {
    value: {
      get consent() {
        return fail();
      },
    },
  }],
];

for (const [name, what, descriptor] of FAILURES) {
  Deno.test(`followConsent() takes ${name} that ${what} for no answer`, async () => {
    using page = openFailingPage({ [name]: descriptor });

    const { client, stop } = followGranted(SOURCES[name] ?? fail);
    await sayAll();
    stop();

    assertEquals(client.states, ["pending"]);
    assertEquals(page.warnings, [WARNING]);
  });
}

Deno.test("followConsent() takes a cookie that a sandboxed frame may not read for no answer", async () => {
  using page = openFailingPage({
    document: { value: Object.defineProperty(new EventTarget(), "cookie", { get: fail }) },
    cookieStore: { value: new EventTarget() },
  });

  const { client, stop } = followGranted(fromCookie({ name: "choice", granted: "all", denied: "none" }));
  await sayAll();
  stop();

  assertEquals(client.states, ["pending"]);
  assertEquals(page.warnings, [WARNING]);
});

Deno.test("followConsent() takes a source of one's own that throws for no answer", () => {
  using page = openFailingPage({});

  const { client, stop } = followGranted(fail);
  stop();
  followConsent(client, () => fail)();

  assertEquals(client.states, ["pending"]);
  assertEquals(page.warnings, [WARNING, WARNING]);
});

Deno.test("followConsent() hears a platform again that has failed", () => {
  let isFailing = true;
  const Cookiebot = {
    hasResponse: true,
    get consent() {
      return isFailing ? fail() : { statistics: true, method: "explicit" };
    },
  };
  using _page = openFailingPage({ Cookiebot: { value: Cookiebot } });
  const { client, stop } = followGranted(fromCookiebot({ category: "statistics" }));

  isFailing = false;
  dispatchEvent(new Event("CookiebotOnAccept"));
  isFailing = true;
  dispatchEvent(new Event("CookiebotOnDecline"));
  stop();

  assertEquals(client.states, ["pending", "granted", "pending"]);
});
