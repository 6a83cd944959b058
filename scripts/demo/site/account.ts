import { Vendor } from "@vendor/sdk";
import { byId } from "./dom.ts";
import { readUser, saveUser } from "./settings.ts";
import { markStep } from "./tour.ts";

/** Who is signed in to the shop. */
export interface Account {
  /** Tells the SDK who is signed in. It forgets that with each load, and with a denial. */
  identify(): void;
}

const VISITOR = "ada";
const TRAITS = { plan: "team" };

/** Creates the account of the shop, and wires its button. */
export function createAccount(): Account {
  const button = byId("sign", HTMLElement);
  let user = readUser();

  function show(): void {
    button.textContent = user === null ? "Sign in" : `Sign out ${user}`;
    if (user !== null) markStep("sign-in");
  }

  function identify(): void {
    if (user !== null) Vendor.identify(user, TRAITS);
  }

  button.addEventListener("click", () => {
    user = user === null ? VISITOR : null;
    saveUser(user);
    if (user === null) {
      Vendor.reset();
      markStep("sign-out");
    } else identify();
    show();
  });
  show();
  return { identify };
}
