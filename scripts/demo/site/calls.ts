/**
 * The cards under the shop: each button is one call of the SDK, shown as a user would write it.
 *
 * @module
 */
import { Vendor } from "@vendor/sdk";
import { describeCall, describeStep } from "./collection.ts";
import { setUpDirectRequests } from "./direct_requests.ts";
import { byId, el } from "./dom.ts";
import { HOSTILE_CALLS } from "./hostile_values.ts";

const MAX_SHOWN_LENGTH = 300;

/** Shows the code of the last call and what became of it. */
export function showCall(code: string, note: string): void {
  byId("last-call", HTMLElement).textContent = code;
  byId("last-note", HTMLElement).textContent = note;
}

/** Wires the forms and buttons; `onCall` runs after each. */
export function setUpCalls(onCall: () => void): void {
  const report = (code: string, note: string): void => {
    showCall(code, note);
    onCall();
  };
  setUpIdentify(report);
  setUpSteps(report);
  setUpHostileValues(report);
  setUpDirectRequests((what) => report(what, "not through the SDK"));
}

type Report = (code: string, note: string) => void;

function setUpIdentify(report: Report): void {
  const form = byId("identify-form", HTMLFormElement);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { userId, plan } = fields(form);
    const traits = { plan };
    Vendor.identify(userId ?? "", traits);
    report(
      `Vendor.identify(${JSON.stringify(userId)}, ${JSON.stringify(traits)})`,
      describeCall("identify", Vendor.getConsent()),
    );
  });
  byId("reset", HTMLElement).addEventListener("click", () => {
    Vendor.reset();
    report("Vendor.reset()", describeCall("reset", Vendor.getConsent()));
  });
}

function setUpSteps(report: Report): void {
  const form = byId("step-form", HTMLFormElement);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { name = "", properties: text = "" } = fields(form);
    const properties = parseProperties(text);
    showPropertiesError(properties instanceof SyntaxError ? properties.message : null);
    if (properties instanceof SyntaxError) return;
    Vendor.step(name, properties);
    const code = properties === undefined ? JSON.stringify(name) : `${JSON.stringify(name)}, ${shorten(text.trim())}`;
    report(`Vendor.step(${code})`, describeStep({ name, properties }, Vendor.getConsent()));
  });
  byId("page", HTMLElement).addEventListener("click", () => {
    Vendor.page();
    report("Vendor.page()", describeCall("page", Vendor.getConsent()));
  });
  byId("flush", HTMLElement).addEventListener("click", () => {
    const started = performance.now();
    report("await Vendor.flush()", describeCall("flush", Vendor.getConsent()));
    Vendor.flush().then(() => report("await Vendor.flush()", `done in ${Math.round(performance.now() - started)} ms`));
  });
}

function setUpHostileValues(report: Report): void {
  const buttons = HOSTILE_CALLS.map(({ label, name, build, outcome }) =>
    el("button", {
      class: "button",
      text: label,
      attributes: { type: "button" },
      onClick: () => {
        Vendor.step(name, build());
        const consent = Vendor.getConsent();
        report(
          `Vendor.step(${JSON.stringify(name)}, …)`,
          consent === "granted" ? outcome : describeCall("step", consent),
        );
      },
    })
  );
  byId("hostile", HTMLElement).append(...buttons);
}

/** Keeps a text that was pasted from filling the page, and a screen reader's hour. */
function shorten(text: string): string {
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}

function fields(form: HTMLFormElement): Readonly<Record<string, string>> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}

/** Returns the object of a JSON text, undefined for an empty one, or why it is neither. */
function parseProperties(text: string): Record<string, unknown> | undefined | SyntaxError {
  if (text.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
    return new SyntaxError('Properties are an object, as in {"source": "footer"}.');
  } catch {
    // Each browser words its SyntaxError differently; one sentence of our own is clearer.
    return new SyntaxError("This isn’t JSON. Names and texts need double quotes.");
  }
}

function showPropertiesError(message: string | null): void {
  const output = byId("properties-error", HTMLElement);
  output.hidden = message === null;
  output.textContent = message;
  const input = output.closest("form")?.querySelector("textarea");
  input?.setAttribute("aria-invalid", String(message !== null));
  if (message !== null) input?.focus();
}
