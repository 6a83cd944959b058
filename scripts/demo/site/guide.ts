/**
 * What leads a visitor of the demo: the tour, and the line at the foot of the window that shows what a tap did.
 *
 * @module
 */
import { type Call, describeCall } from "./collection.ts";
import { byId } from "./dom.ts";
import { Vendor } from "@vendor/sdk";
import { showRow } from "./feed_view.ts";

/** Ticks a step of the tour off, and shows what comes next. */
export function markStep(step: "browse" | "accept" | "buy" | "sign-in" | "sign-out" | "decline"): void {
  document.querySelector(`[data-step="${step}"]`)?.setAttribute("data-done", "");
  showNext();
}

/** Shows what to do next, from the `data-hint` of the first step that isn't done. */
export function showNext(): void {
  const next = document.querySelector<HTMLElement>("[data-step]:not([data-done])");
  document.querySelector("[data-step][aria-current]")?.removeAttribute("aria-current");
  next?.setAttribute("aria-current", "step");
  byId("next", HTMLElement).textContent = next?.dataset.hint ?? "That was the tour. The reports have counted it.";
}

/** Shows the code of a call and what became of it. */
export function showCall(code: string, note: string): void {
  byId("last-call", HTMLElement).textContent = code;
  byId("last-note", HTMLElement).textContent = note;
}

/** Shows a call of the SDK, with a greyed row in the feed if consent held it back. */
export function reportCall(call: Call, code: string, grantedNote?: string): void {
  const consent = Vendor.getConsent();
  const { note, isHeld } = describeCall(call, consent);
  showCall(code, consent === "granted" ? grantedNote ?? note : note);
  if (isHeld) showRow({ kind: "held", at: new Date().toISOString(), what: code.replace("Vendor.", ""), why: note });
}
