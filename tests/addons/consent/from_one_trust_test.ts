import { assertEquals } from "@std/assert";
import { fromOneTrust } from "../../../src/addons/consent/mod.ts";
import { follow, openPage } from "./page.ts";

// OneTrust's script comes from its vendor alone: this is its documented interface,
// https://developer.onetrust.com/onetrust/docs/javascript-events-guide.
function say(event: string, groups: readonly string[], isClosed: boolean): void {
  Object.assign(globalThis, {
    OnetrustActiveGroups: `,${groups.join(",")},`,
    OneTrust: { IsAlertBoxClosed: () => isClosed },
  });
  dispatchEvent(new CustomEvent(event, { detail: groups }));
}

const openShop = (): Disposable => openPage({ OnetrustActiveGroups: undefined, OneTrust: undefined });

const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

Deno.test("fromOneTrust() hears of the first answer and of a change of mind", async () => {
  using _page = openShop();
  const { states } = follow(fromOneTrust({ group: "C0002" }));
  say("OneTrustGroupsUpdated", ["C0001"], false);
  await nextTask();
  assertEquals(states, [], "the banner is open");

  say("OneTrustGroupsUpdated", ["C0001", "C0002"], true);
  await nextTask();
  assertEquals(states, ["granted"]);

  say("OTConsentApplied", ["C0001"], true);
  await nextTask();
  assertEquals(states, ["granted", "denied"]);
});

Deno.test("fromOneTrust() sees a banner that is closed after the event, in the same task", async () => {
  using _page = openShop();
  const { states } = follow(fromOneTrust({ group: "C0002" }));

  say("OneTrustGroupsUpdated", ["C0001", "C0002"], false);
  Object.assign(globalThis, { OneTrust: { IsAlertBoxClosed: () => true } });
  await nextTask();

  assertEquals(states, ["granted"]);
});

Deno.test("fromOneTrust() takes groups that are active without an answer for none", async () => {
  using _page = openShop();
  const { states } = follow(fromOneTrust({ group: "C0002" }));

  say("OneTrustGroupsUpdated", ["C0001", "C0002", "C0003"], false);
  await nextTask();
  Object.assign(globalThis, { OneTrust: { geolocationResponse: {} } }); // what stands there while it loads
  dispatchEvent(new CustomEvent("OneTrustGroupsUpdated"));
  await nextTask();

  assertEquals(states, []);
});

/** What a visitor is told to have chosen of whom nothing was asked, where the region shows no banner. */
function stateWithoutBanner(OnetrustActiveGroups: string, data: object | undefined): string {
  const OneTrust = { IsAlertBoxClosed: () => false, GetDomainData: () => data };
  using _page = openPage({ OnetrustActiveGroups, OneTrust });
  return follow(fromOneTrust({ group: "C0002" })).states.join();
}

Deno.test("fromOneTrust() goes by the groups where the region shows no banner", () => {
  const noBanner = { ShowAlertNotice: false };

  assertEquals(stateWithoutBanner(",C0001,C0002,", noBanner), "granted");
  assertEquals(stateWithoutBanner(",C0001,", noBanner), "denied", "as with Global Privacy Control");
  assertEquals(stateWithoutBanner(",,", noBanner), "", "before the region is known");
  assertEquals(stateWithoutBanner(",C0001,C0002,", { ShowAlertNotice: true }), "");
  assertEquals(stateWithoutBanner(",C0001,C0002,", {}), "");
  assertEquals(stateWithoutBanner(",C0001,C0002,", undefined), "");
});

Deno.test("fromOneTrust() knows at once what a visitor chose who returns", () => {
  using _page = openShop();
  say("OneTrustGroupsUpdated", ["C0001", "C0002"], true);

  assertEquals(follow(fromOneTrust({ group: "C0002" })).states, ["granted"]);
  assertEquals(follow(fromOneTrust({ group: "C0004" })).states, ["denied"]);
  assertEquals(follow(fromOneTrust({ group: "C000" })).states, ["denied"]);
});

Deno.test("fromOneTrust() hears nothing after its end", async () => {
  using _page = openShop();
  const { states, stop } = follow(fromOneTrust({ group: "C0002" }));
  stop();

  say("OneTrustGroupsUpdated", ["C0001", "C0002"], true);
  await nextTask();

  assertEquals(states, []);
});
