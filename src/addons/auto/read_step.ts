import { findLink } from "./clicked.ts";
import type { ClickReader } from "./observe_clicks.ts";

const ATTRIBUTE = "data-vendor-step";

/** Records the step that the closest element with `data-vendor-step` names, with the properties of its attributes. */
export const readStep: ClickReader = (elements, record, isMiddle) => {
  const marked = elements.find((element) => element.hasAttribute(ATTRIBUTE));
  if (!marked || (isMiddle && !findLink(elements))) return; // the middle button opens links alone
  const properties: { [name: string]: string } = {};
  // By name: a field called `attributes` takes the place of its form's own property.
  for (const name of marked.getAttributeNames()) {
    const [, rest] = /^data-vendor-(.+)$/.exec(name) ?? [];
    if (!rest || name === ATTRIBUTE) continue;
    properties[rest.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase())] = marked.getAttribute(name) ?? "";
  }
  record(marked.getAttribute(ATTRIBUTE) ?? "", properties);
};
