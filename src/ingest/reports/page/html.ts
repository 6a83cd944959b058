/**
 * HTML from templates. Whatever is put into one is escaped, for paths, referrers and event names are chosen by
 * visitors; only what came out of a template goes in as it is.
 *
 * @module
 */

/** A piece of HTML that is safe to send. */
export interface Html {
  /** Its text. */
  readonly markup: string;
}

/** A value of a template. `undefined` and `false` leave no trace. */
export type HtmlValue = string | number | Html | readonly Html[] | undefined | false;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Tag of templates. Attribute values have to be in quotes. */
export function html(template: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const markup = template.reduce((text, part, index) => text + render(values[index - 1]) + part);
  return { markup };
}

function render(value: HtmlValue): string {
  if (value === undefined || value === false) return "";
  if (typeof value === "object") return "markup" in value ? value.markup : value.map(({ markup }) => markup).join("");
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
