import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { fromCookie } from "../../../src/addons/consent/mod.ts";
import { follow, openPage, withPage } from "./page.ts";

const CASES: readonly (readonly [cookie: string, states: readonly string[]])[] = [
  ["", []],
  ["choice=all", ["granted"]],
  ["other=1; choice=none", ["denied"]],
  ["choice=maybe", []],
  ["choice=%61ll", ["granted"]],
  ["choice=100%", []],
  // One for the host and one for its domain: a denial wins.
  ["choice=all; choice=none", ["denied"]],
];

for (const [cookie, expected] of CASES) {
  Deno.test(`fromCookie() reads "${cookie}"`, () => {
    const page = Object.assign(new EventTarget(), { cookie });
    withPage({ document: page, cookieStore: new EventTarget() }, () => {
      const { states } = follow(fromCookie({ name: "choice", granted: "all", denied: "none" }));

      assertEquals(states, expected);
    });
  });
}

Deno.test("fromCookie() hears of a change until its end", () => {
  const page = Object.assign(new EventTarget(), { cookie: "" });
  const cookieStore = new EventTarget();
  withPage({ document: page, cookieStore }, () => {
    const { states, stop } = follow(fromCookie({ name: "choice", granted: "all", denied: "none" }));

    page.cookie = "choice=all";
    cookieStore.dispatchEvent(new Event("change"));
    stop();
    page.cookie = "choice=none";
    cookieStore.dispatchEvent(new Event("change"));

    assertEquals(states, ["granted"]);
  });
});

Deno.test("fromCookie() reports a grant half a second later on a page that is hidden, and a denial at once", async () => {
  using time = new FakeTime();
  const page = Object.assign(new EventTarget(), { cookie: "", visibilityState: "hidden" });
  const cookieStore = new EventTarget();
  using _page = openPage({ document: page, cookieStore });
  const { states, stop } = follow(fromCookie({ name: "choice", granted: "all", denied: "none" }));
  const choose = (cookie: string): void => {
    page.cookie = cookie;
    cookieStore.dispatchEvent(new Event("change"));
  };

  choose("choice=all");
  await time.tickAsync(499);
  const early = [...states];
  await time.tickAsync(1);
  const late = [...states];
  choose("choice=none");
  const denied = [...states];
  choose("choice=all");
  await time.tickAsync(300);
  choose("choice=none");
  await time.tickAsync(10_000);
  choose("choice=all");
  stop();
  await time.tickAsync(10_000);

  assertEquals([early, late, denied, states], [[], ["granted"], ["granted", "denied"], ["granted", "denied"]]);
});

Deno.test("fromCookie() reads a cookie again a second after a change, and no more after its end", async () => {
  using time = new FakeTime();
  const page = Object.assign(new EventTarget(), { cookie: "choice=all" });
  const cookieStore = new EventTarget();
  using _page = openPage({ document: page, cookieStore });
  const { states, stop } = follow(fromCookie({ name: "choice", granted: "all", denied: "none" }));

  cookieStore.dispatchEvent(new Event("change")); // before the page sees what has changed
  page.cookie = "choice=none";
  const early = [...states];
  await time.tickAsync(1_000);
  const late = [...states];
  cookieStore.dispatchEvent(new Event("change"));
  stop();
  page.cookie = "choice=all";
  await time.tickAsync(10_000);

  assertEquals([early.at(-1), late.at(-1), states.at(-1)], ["granted", "denied", "denied"]);
});

Deno.test("fromCookie() reads each second where the page has something else under the name cookieStore", async () => {
  for (const cookieStore of [{ get: () => "" }, { addEventListener() {} }, "", () => {}]) {
    using time = new FakeTime();
    const page = Object.assign(new EventTarget(), { cookie: "" });
    using _page = openPage({ document: page, cookieStore });
    const { states } = follow(fromCookie({ name: "choice", granted: "all", denied: "none" }));

    page.cookie = "choice=all";
    await time.tickAsync(1_000);

    assertEquals(states, ["granted"]);
  }
});
