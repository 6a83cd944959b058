import { attempt } from "../../client/base/attempt.ts";
import type { RecordEvent } from "./observer.ts";
import { readWebAddress } from "./web_address.ts";

/** Hears of forms that are submitted, and reads nothing of their fields. */
export function observeForms(record: RecordEvent): () => void {
  const hear = (event: Event): void => {
    attempt(() => {
      const form = event.target as Element;
      const { submitter } = event as SubmitEvent;
      // Attributes: a field of the name `id` or `action` takes the place of the form's own property.
      const read = (name: string): string => Element.prototype.getAttribute.call(form, name) ?? "";
      const action = submitter?.getAttribute("formaction") || read("action") || location.href;
      const name = read("id") || read("name");
      const path = readWebAddress(action, document.baseURI)?.path;
      record("$form", { ...name && { form: name }, ...path && { path } });
    });
  };
  const options = { capture: true, passive: true };
  document.addEventListener("submit", hear, options);
  return () => document.removeEventListener("submit", hear, options);
}
