/** Attributes and text of an element. */
export interface ElementOptions {
  /** Attribute `class`. */
  readonly class?: string;
  /** Its text: whatever comes from the page stays text. */
  readonly text?: string;
  /** Other attributes. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Creates an element, without markup: a page may demand Trusted Types. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  options: ElementOptions,
  ...children: readonly Node[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (options.class !== undefined) element.className = options.class;
  if (options.text !== undefined) element.textContent = options.text;
  for (const [name, value] of Object.entries(options.attributes ?? {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
