/**
 * The cards under the shop: each button is one call of the SDK, or a request past it.
 *
 * @module
 */
import { Vendor } from "@vendor/sdk";
import { sendLeaky, sendTwice, sendWrongKey } from "./direct_requests.ts";
import { byId, el } from "./dom.ts";
import { reportCall, showCall } from "./guide.ts";
import { HOSTILE_CALLS } from "./hostile_values.ts";

/** Wires the forms and buttons; `onCall` runs after each call of the SDK. */
export function setUpCalls(onCall: () => void): void {
  setUpSteps(onCall);
  const onClick = (id: string, listener: () => void): void => byId(id, HTMLElement).addEventListener("click", listener);
  onClick("page", () => {
    Vendor.page();
    reportCall("page", "Vendor.page()");
    onCall();
  });
  onClick("flush", () => {
    const started = performance.now();
    reportCall("flush", "await Vendor.flush()");
    Vendor.flush().then(() =>
      showCall("await Vendor.flush()", `done in ${Math.round(performance.now() - started)} ms`)
    );
  });
  byId("hostile", HTMLElement).append(...HOSTILE_CALLS.map(({ label, name, build, outcome }) =>
    el("button", {
      class: "button",
      text: label,
      attributes: { type: "button" },
      onClick: () => {
        Vendor.step(name, build());
        reportCall("step", `Vendor.step(${JSON.stringify(name)}, …)`, outcome);
        onCall();
      },
    })
  ));
  const direct = { "send-twice": sendTwice, "send-wrong-key": sendWrongKey, "send-leaky": sendLeaky };
  for (const [id, send] of Object.entries(direct)) {
    onClick(id, () => {
      showCall("fetch(endpoint, …)", "not through the SDK");
      // Every browser rejects when the ingest is gone; the feed's state says so already.
      send().catch(() => {});
    });
  }
}

function setUpSteps(onCall: () => void): void {
  const form = byId("step-form", HTMLFormElement);
  const name = byId("step-name", HTMLInputElement);
  const json = byId("step-properties", HTMLTextAreaElement);
  json.addEventListener("input", () => json.setCustomValidity(isProperties(json.value) ? "" : "Write a JSON object."));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = json.value.trim();
    Vendor.step(name.value, text === "" ? undefined : JSON.parse(text));
    reportCall("step", `Vendor.step(${JSON.stringify(name.value)}${text === "" ? "" : `, ${text}`})`);
    onCall();
  });
}

function isProperties(text: string): boolean {
  if (text.trim() === "") return true;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    // Every browser throws for what isn't JSON.
    return false;
  }
}
