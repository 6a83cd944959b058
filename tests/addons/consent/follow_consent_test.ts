import { assertEquals } from "@std/assert";
import type { ConsentState } from "../../../mod.ts";
import { createClient } from "../../../src/client/mod.ts";
import { type ConsentSource, followConsent } from "../../../src/addons/consent/mod.ts";
import { createTestBrowser } from "../../../src/testing/mod.ts";
import { createTestClient, withPage } from "./page.ts";

/** A source that a test speaks for. */
function createSource(known?: ConsentState) {
  let report: (state: ConsentState) => void = () => {};
  let isEnded = false;
  const source: ConsentSource = (listener) => {
    report = listener;
    if (known) listener(known);
    return () => void (isEnded = true);
  };
  return { source, report: (state: ConsentState) => report(state), isEnded: () => isEnded };
}

Deno.test("followConsent() applies what is known, each change once, and nothing after its end", () =>
  withPage({}, () => {
    const client = createTestClient();
    const { source, report, isEnded } = createSource("denied");

    const stop = followConsent(client, source);
    report("denied");
    report("granted");
    report("granted");
    report("denied");
    stop();
    report("granted");

    assertEquals(client.states, ["denied", "granted", "denied"]);
    assertEquals(isEnded(), true);
  }));

for (
  const [what, known, referrer, steps] of [
    ["a visitor who lands and accepts", undefined, "https://news.example/", ["$consent"]],
    ["one who typed the address", undefined, "", ["$consent"]],
    ["one who has come from a page of the site", undefined, "https://shop.example/teas", []],
    ["a choice that is known at once", "granted", "https://news.example/", []],
  ] as const
) {
  Deno.test(`followConsent() steps ${steps.length} times for ${what}`, () => {
    const document = Object.assign(new EventTarget(), { referrer });
    withPage({ document, location: { origin: "https://shop.example" } }, () => {
      const made: string[] = [];
      const client = { ...createTestClient(), step: (name: string) => void made.push(name) };
      const { source, report } = createSource(known);

      followConsent(client, source);
      report("granted");
      report("granted");

      assertEquals(made, [...steps]);
    });
  });
}

Deno.test("followConsent() keeps a grant where a form of the page has the name referrer", () => {
  const document = Object.assign(new EventTarget(), { referrer: {} });
  withPage({ document, location: { origin: "https://shop.example" } }, () => {
    const made: string[] = [];
    const client = { ...createTestClient(), step: (name: string) => void made.push(name) };
    const { source, report } = createSource();

    followConsent(client, source);
    report("granted");

    assertEquals([client.states, made], [["granted"], ["$consent"]]);
  });
});

Deno.test("followConsent() steps on a client whose methods belong to it", () => {
  const document = Object.assign(new EventTarget(), { referrer: "" });
  withPage({ document, location: { origin: "https://shop.example" } }, () => {
    const client = {
      ...createTestClient(),
      made: [] as string[],
      step(name: string) {
        this.made.push(name);
      },
    };
    const { source, report } = createSource();

    followConsent(client, source);
    report("granted");

    assertEquals([client.made, client.states], [["$consent"], ["granted"]]);
  });
});

Deno.test("followConsent() doesn't repeat a grant that another tab has overruled", () =>
  withPage({}, () => {
    const client = createTestClient();
    const { source, report } = createSource("granted");
    followConsent(client, source);

    client.setConsent("denied"); // as the SDK does on its own
    report("granted");

    assertEquals(client.states, ["granted", "denied"]);
  }));

Deno.test("followConsent() leaves a grant of the application to a platform that loads later and asked nothing", () =>
  withPage({}, () => {
    const client = createTestClient();
    const { source, report } = createSource();
    followConsent(client, source);

    client.setConsent("granted"); // where the visitor needn't be asked
    report("pending");

    assertEquals(client.states, ["granted"]);
  }));

Deno.test("followConsent() takes no answer for pending under granted, and for nothing under denied", () =>
  withPage({}, () => {
    const statesAfter = (initial: ConsentState, known?: ConsentState): readonly ConsentState[] => {
      const client = createTestClient(initial);
      followConsent(client, createSource(known).source);
      return client.states;
    };

    assertEquals(statesAfter("granted"), ["pending"]);
    assertEquals(statesAfter("granted", "pending"), ["pending"]);
    assertEquals(statesAfter("granted", "granted"), ["granted"]);
    assertEquals(statesAfter("pending"), []);
    assertEquals(statesAfter("denied"), []);
    assertEquals(statesAfter("denied", "pending"), []);
    assertEquals(statesAfter("denied", "granted"), ["granted"]);
  }));

Deno.test("followConsent() asks no source where there is no document", () => {
  const client = createTestClient("granted");

  followConsent(client, () => {
    throw new Error("a source was asked");
  })();

  assertEquals(client.states, []);
});

Deno.test("followConsent() moves a client of createClient()", () =>
  withPage({}, () => {
    const page = createTestBrowser().open("https://shop.example/");
    const client = createClient({ apiKey: "pk_live_123", consent: "pending" }, page.environment);

    followConsent(client, createSource("granted").source);

    assertEquals(client.getConsent(), "granted");
  }));
