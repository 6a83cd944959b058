/** Returns the elements that an event went through, from the innermost: open shadow trees as well. */
export function elementsOf(event: Event): readonly Element[] {
  return event.composedPath().filter((each): each is Element => (each as Partial<Node>).nodeType === 1);
}

/** Returns the link among elements: `<a>` of HTML or SVG, or `<area>`, each with an address. */
export function findLink(elements: readonly Element[]): Element | undefined {
  return elements.find((element) => /^(a|area)$/.test(element.localName) && addressOf(element) !== undefined);
}

/** Returns the address of a link as it's written; undefined where it has none. */
export function addressOf(link: Element): string | undefined {
  // SVG 1.1 has it in another namespace, as browsers still take it.
  return link.getAttribute("href") ?? link.getAttributeNS("http://www.w3.org/1999/xlink", "href") ?? undefined;
}
