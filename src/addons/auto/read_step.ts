import { findLink } from "./clicked.ts";
import type { ClickReader } from "./observe_clicks.ts";

const ATTRIBUTE = "data-vendor-step";

/** What takes a click for itself: a label around it passes none on. */
const INTERACTIVE = "a[href],button,input,select,textarea,summary,details,iframe,audio[controls],video[controls]";

/** Records the step that the closest element with `data-vendor-step` names, with the properties of its attributes. */
export const readStep: ClickReader = (elements, record, isMiddle) => {
  const marked = elements.find((element) => element.hasAttribute(ATTRIBUTE));
  if (!marked || (isMiddle && !findLink(elements))) return; // the middle button opens links alone
  // The click on a label is followed by one on its control.
  const label = elements.find((element): element is HTMLLabelElement => element.localName === "label");
  const control = label && !isTaken(elements, label) ? label.control : undefined;
  if (control && !control.matches(":disabled") && !elements.includes(control) && marked.contains(control)) return;
  const properties: { [name: string]: string } = {};
  // By name: a field called `attributes` takes the place of its form's own property.
  for (const name of marked.getAttributeNames()) {
    const [, rest] = /^data-vendor-(.+)$/.exec(name) ?? [];
    if (!rest || name === ATTRIBUTE) continue;
    properties[rest.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase())] = marked.getAttribute(name) ?? "";
  }
  record(marked.getAttribute(ATTRIBUTE) ?? "", properties);
};

function isTaken(elements: readonly Element[], label: Element): boolean {
  return elements.slice(0, elements.indexOf(label)).some((element) => element.matches(INTERACTIVE));
}
