/**
 * Tour that leads a visitor through the demo.
 *
 * @module
 */
import { byId } from "./dom.ts";

/** A step of the tour. */
export type TourStep = "browse" | "accept" | "buy" | "sign-in" | "sign-out" | "decline";

/** Ticks a step off, and shows what comes next. */
export function markStep(step: TourStep): void {
  document.querySelector(`[data-step="${step}"]`)?.setAttribute("data-done", "");
  showNext();
}

/** Shows what to do next. */
export function showNext(): void {
  const next = document.querySelector("[data-step]:not([data-done])");
  document.querySelector("[data-step][aria-current]")?.removeAttribute("aria-current");
  next?.setAttribute("aria-current", "step");
  byId("next", HTMLElement).textContent = next?.querySelector("span")?.textContent ??
    "That was the tour. The reports have counted it.";
}
