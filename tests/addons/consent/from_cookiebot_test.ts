import { assertEquals } from "@std/assert";
import { fromCookiebot } from "../../../src/addons/consent/mod.ts";
import { follow, withPage } from "./page.ts";

// Cookiebot's script comes from its vendor alone: this is its documented interface,
// https://www.cookiebot.com/en/developer/.
const UNANSWERED = {
  hasResponse: false,
  consent: { necessary: true, preferences: false, statistics: false, marketing: false, method: null },
};
const ACCEPTED = {
  hasResponse: true,
  consent: { necessary: true, preferences: true, statistics: true, marketing: false, method: "explicit" },
};
const DECLINED = { hasResponse: true, consent: { ...UNANSWERED.consent, method: "explicit" } };

function say(event: string, Cookiebot: object): void {
  Object.assign(globalThis, { Cookiebot });
  dispatchEvent(new Event(event));
}

Deno.test("fromCookiebot() hears of the first answer and of a change of mind", () =>
  withPage({ Cookiebot: undefined }, () => {
    const { states } = follow(fromCookiebot({ category: "statistics" }));
    Object.assign(globalThis, { Cookiebot: UNANSWERED });
    assertEquals(states, []);

    say("CookiebotOnConsentReady", ACCEPTED);
    say("CookiebotOnAccept", ACCEPTED);
    say("CookiebotOnDecline", DECLINED);

    assertEquals(states, ["granted", "denied"]);
  }));

Deno.test("fromCookiebot() knows at once what a visitor chose who returns", () => {
  const statesOf = (Cookiebot: object, category: "statistics" | "marketing" = "statistics"): readonly string[] => {
    let states: readonly string[] = [];
    withPage({ Cookiebot }, () => void ({ states } = follow(fromCookiebot({ category }))));
    return states;
  };

  assertEquals(statesOf(ACCEPTED), ["granted"]);
  assertEquals(statesOf(ACCEPTED, "marketing"), ["denied"]);
  assertEquals(statesOf(DECLINED), ["denied"]);
  assertEquals(statesOf(UNANSWERED), []);
  assertEquals(statesOf({ ...ACCEPTED, hasResponse: false }), [], "not answered, and yet set");
  assertEquals(statesOf({ ...ACCEPTED, consent: { ...ACCEPTED.consent, method: "implied" } }), [], "implied");
  assertEquals(statesOf({ hasResponse: true }), [], "half loaded");
});

Deno.test("fromCookiebot() takes the consent that Cookiebot gives where the region shows no banner", () =>
  withPage({ Cookiebot: undefined }, () => {
    const { states } = follow(fromCookiebot({ category: "statistics" }));

    say("CookiebotOnAccept", { ...ACCEPTED, isOutOfRegion: true, consent: { ...ACCEPTED.consent, method: "implied" } });

    assertEquals(states, ["granted"]);
  }));

Deno.test("fromCookiebot() takes a withdrawal for a denial, and what it tells of those who weren't asked for nothing", () =>
  withPage({ Cookiebot: UNANSWERED }, () => {
    const { states } = follow(fromCookiebot({ category: "statistics" }));
    say("CookiebotOnDecline", UNANSWERED);
    assertEquals(states, []);

    say("CookiebotOnAccept", ACCEPTED);
    say("CookiebotOnDecline", { ...DECLINED, hasResponse: false });

    assertEquals(states, ["granted", "denied"]);
  }));

Deno.test("fromCookiebot() hears nothing after its end", () =>
  withPage({ Cookiebot: UNANSWERED }, () => {
    const { states, stop } = follow(fromCookiebot({ category: "statistics" }));
    stop();

    say("CookiebotOnAccept", ACCEPTED);

    assertEquals(states, []);
  }));
