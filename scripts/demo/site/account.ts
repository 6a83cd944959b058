/**
 * Sign-in and sign-out, as in any application: the shop knows who is there, and tells the SDK.
 *
 * @module
 */
import { Vendor } from "@vendor/sdk";
import { byId } from "./dom.ts";
import { markStep, reportCall } from "./guide.ts";
import { readUser, saveUser } from "./settings.ts";

/** Who is signed in to the shop. */
export interface Account {
  /** The user, or null. */
  user(): string | null;
  /** Tells the SDK who is signed in. It forgets that with each load, with each `init()` and with a denial. */
  identify(): void;
}

const VISITOR = "ada";
const TRAITS = { plan: "team" };

/** Creates the account of the shop and wires its button; `onChange` runs after each sign-in and sign-out. */
export function createAccount(onChange: () => void): Account {
  let user = readUser();

  function show(): void {
    byId("sign", HTMLElement).textContent = user === null ? "Sign in" : `Sign out ${user}`;
  }

  function identify(): void {
    if (user !== null) Vendor.identify(user, TRAITS);
  }

  byId("sign", HTMLElement).addEventListener("click", () => {
    user = user === null ? VISITOR : null;
    saveUser(user);
    if (user === null) {
      Vendor.reset();
      reportCall("reset", "Vendor.reset()");
      markStep("sign-out");
    } else {
      identify();
      reportCall("identify", `Vendor.identify("${user}", ${JSON.stringify(TRAITS)})`);
      markStep("sign-in");
    }
    show();
    onChange();
  });
  show();
  return { user: () => user, identify };
}
