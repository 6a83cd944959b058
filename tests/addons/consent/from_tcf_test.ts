import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { fromTcf, type FromTcfOptions } from "../../../src/addons/consent/mod.ts";
import { announceScript, follow, openPage, withPage } from "./page.ts";

type Listener = (data: object | null, isSuccess: boolean) => void;

/** A platform by its specification, which tells its listeners what a test says. */
function createPlatform() {
  const listeners = new Map<number, Listener>();
  const calls: unknown[][] = [];
  const __tcfapi = (command: string, version: number, callback: Listener, parameter?: number): void => {
    calls.push([command, version, parameter]);
    if (command === "addEventListener") listeners.set(listeners.size, callback);
    if (command === "removeEventListener") listeners.delete(parameter ?? NaN);
  };
  const tell = (data: object | null, isSuccess = true): void => {
    for (const [listenerId, listener] of listeners) listener(data && { listenerId, ...data }, isSuccess);
  };
  return { __tcfapi, tell, calls };
}

const ANSWER = {
  tcString: "COw4XqLOw4XqLAAAAAENAXCAAAAAAAAAAAAAAAAAAAAA",
  cmpStatus: "loaded",
  eventStatus: "useractioncomplete",
  gdprApplies: true,
  isServiceSpecific: true,
  purpose: { consents: { 1: true, 8: true, 9: false }, legitimateInterests: { 9: true } },
  vendor: { consents: { 5: true, 6: false }, legitimateInterests: { 6: true } },
};

const OPTIONS: FromTcfOptions = { purposes: [1, 8], outsideGdpr: "granted" };

function hear(data: object | null, options: Partial<FromTcfOptions> = {}, isSuccess = true): readonly string[] {
  const { __tcfapi, tell } = createPlatform();
  let states: readonly string[] = [];
  withPage({ __tcfapi }, () => {
    ({ states } = follow(fromTcf({ ...OPTIONS, ...options })));
    tell(data, isSuccess);
  });
  return states;
}

Deno.test("fromTcf() wants consent to every purpose", () => {
  assertEquals(hear(ANSWER), ["granted"]);
  assertEquals(hear({ ...ANSWER, eventStatus: "tcloaded" }), ["granted"]);
  assertEquals(hear(ANSWER, { purposes: [1, 10] }), ["denied"]);
  assertEquals(hear(ANSWER, { purposes: [] }), ["denied"]);
  assertEquals(hear({ ...ANSWER, purpose: undefined }), ["denied"]);
});

Deno.test("fromTcf() takes legitimate interest for no consent, of a purpose or of a vendor", () => {
  assertEquals(hear(ANSWER, { purposes: [1, 9] }), ["denied"]);
  assertEquals(hear(ANSWER, { vendorId: 6 }), ["denied"]);
});

Deno.test("fromTcf() wants consent to the vendor, disclosed since 2.3 and not restricted", () => {
  const hearVendor = (vendor: object, restrictions?: object): readonly string[] =>
    hear({ ...ANSWER, vendor: { ...ANSWER.vendor, ...vendor }, publisher: { restrictions } }, { vendorId: 5 });

  assertEquals(hearVendor({}), ["granted"]);
  assertEquals(hearVendor({ disclosedVendors: { 5: true } }), ["granted"]);
  assertEquals(hearVendor({ disclosedVendors: { 5: false } }), ["denied"]);
  assertEquals(hearVendor({ disclosedVendors: { 6: true } }), ["denied"]);
  assertEquals(hearVendor({ consents: {} }), ["denied"]);
  assertEquals(hearVendor({}, { 8: { 5: 0 } }), ["denied"]);
  assertEquals(hearVendor({}, { 8: { 5: 2 } }), ["denied"]);
  assertEquals(hearVendor({}, { 8: { 5: 1, 6: 0 }, 9: { 5: 0 } }), ["granted"]);
});

Deno.test("fromTcf() leaves it to the application what holds where the GDPR doesn't apply", () => {
  const outside = { gdprApplies: false, tcfPolicyVersion: 5, cmpId: 300, cmpVersion: 2 };

  assertEquals(hear(outside), ["granted"]);
  assertEquals(hear(outside, { outsideGdpr: "denied" }), ["denied"]);
  assertEquals(hear(outside, { outsideGdpr: "pending" }), []);
});

Deno.test("fromTcf() takes nothing from a platform that isn't sure", () => {
  assertEquals(hear({ ...ANSWER, gdprApplies: undefined }), []);
  assertEquals(hear({ ...ANSWER, eventStatus: "cmpuishown" }), []);
  assertEquals(hear({ ...ANSWER, eventStatus: undefined }), []);
  assertEquals(hear({ ...ANSWER, isServiceSpecific: false }), [], "of global scope");
  for (const cmpStatus of ["stub", "loading", "error"]) {
    assertEquals(hear({ ...ANSWER, cmpStatus }), [], cmpStatus);
    assertEquals(hear({ cmpStatus, gdprApplies: false }), [], cmpStatus);
  }
  assertEquals(hear(ANSWER, {}, false), []);
  assertEquals(hear(null, {}, false), []);
});

Deno.test("fromTcf() takes an empty string for no answer, and a grant back that came before it", () => {
  const { __tcfapi, tell } = createPlatform();
  withPage({ __tcfapi }, () => {
    const { states } = follow(fromTcf(OPTIONS));
    const empty = { ...ANSWER, tcString: "", purpose: { consents: {} } };
    tell({ ...empty, eventStatus: "tcloaded" });
    assertEquals(states, []);

    tell(ANSWER);
    tell(empty);

    assertEquals(states, ["granted", "pending"]);
  });
  assertEquals(hear({ ...ANSWER, tcString: undefined }), []);
});

Deno.test("fromTcf() keeps an answer while the dialog is open again, and when the platform fails", () => {
  const { __tcfapi, tell } = createPlatform();
  withPage({ __tcfapi }, () => {
    const { states } = follow(fromTcf(OPTIONS));
    tell({ ...ANSWER, eventStatus: "tcloaded" });
    tell({ ...ANSWER, eventStatus: "cmpuishown", purpose: { consents: {} } });
    tell({ cmpStatus: "error" }, false);
    assertEquals(states, ["granted"]);

    tell({ ...ANSWER, purpose: { consents: {} } });

    assertEquals(states, ["granted", "denied"]);
  });
});

Deno.test("fromTcf() waits for a platform that loads later, and asks it once", () => {
  const { __tcfapi, tell, calls } = createPlatform();
  withPage({ __tcfapi: undefined }, () => {
    const { states } = follow(fromTcf(OPTIONS));
    announceScript();
    Object.assign(globalThis, { __tcfapi });
    announceScript();
    announceScript();
    tell(ANSWER);

    assertEquals(states, ["granted"]);
    assertEquals(calls, [["addEventListener", 2, undefined]]);
  });
});

Deno.test("fromTcf() finds within a second a platform that nothing announces", async () => {
  using time = new FakeTime();
  const { __tcfapi, tell } = createPlatform();
  using _page = openPage({ __tcfapi: undefined });
  const { states } = follow(fromTcf(OPTIONS));
  await time.tickAsync(60_000);

  Object.assign(globalThis, { __tcfapi }); // by import(), or behind an answer of a server
  await time.tickAsync(1_000);
  tell(ANSWER);

  assertEquals(states, ["granted"]);
});

Deno.test("fromTcf() removes its listener at its end, the first one too", () => {
  const { __tcfapi, tell, calls } = createPlatform();
  withPage({ __tcfapi }, () => {
    const { states, stop } = follow(fromTcf(OPTIONS));
    tell(ANSWER);

    stop();
    tell({ ...ANSWER, purpose: { consents: {} } });

    assertEquals(states, ["granted"]);
    assertEquals(calls.at(-1), ["removeEventListener", 2, 0]);
  });
});

Deno.test("fromTcf() that has ended before the platform answered removes its listener then", () => {
  const { __tcfapi, tell, calls } = createPlatform();
  withPage({ __tcfapi }, () => {
    const { states, stop } = follow(fromTcf(OPTIONS));
    stop();
    assertEquals(calls.length, 1);

    tell(ANSWER);

    assertEquals(states, []);
    assertEquals(calls.at(-1), ["removeEventListener", 2, 0]);
  });
});

Deno.test("fromTcf() that has ended asks no platform that loads later", () => {
  const { __tcfapi, calls } = createPlatform();
  withPage({ __tcfapi: undefined }, () => {
    const { stop } = follow(fromTcf(OPTIONS));
    stop();
    Object.assign(globalThis, { __tcfapi });
    announceScript();

    assertEquals(calls, []);
  });
});
