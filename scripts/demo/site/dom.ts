/**
 * The few DOM helpers the demo needs instead of a framework.
 *
 * @module
 */

/** Attributes and children for {@linkcode el}. */
export interface ElementOptions {
  /** `class` attribute. */
  readonly class?: string;
  /** Text content, set before the children. */
  readonly text?: string;
  /** Further attributes. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Child nodes, in order. */
  readonly children?: readonly Node[];
  /** Listener of `click`. */
  readonly onClick?: () => void;
}

/** Creates an element. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  options: ElementOptions = {},
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (options.class !== undefined) element.className = options.class;
  if (options.text !== undefined) element.textContent = options.text;
  for (const [name, value] of Object.entries(options.attributes ?? {})) element.setAttribute(name, value);
  element.append(...(options.children ?? []));
  if (options.onClick !== undefined) element.addEventListener("click", options.onClick);
  return element;
}

/** Returns the element of that ID and class; a page without it is broken, so its absence throws. */
export function byId<T extends Element>(id: string, type: new () => T): T {
  const element = document.getElementById(id);
  if (element instanceof type) return element;
  throw new Error(`index.html has no ${type.name} with the ID "${id}"`);
}
