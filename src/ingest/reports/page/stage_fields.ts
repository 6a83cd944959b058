/**
 * The fields of forms that ask for stages, and what they propose.
 *
 * @module
 */
import { isProblem } from "../query/query.ts";
import { readReturn, type StageEvent, writeStage } from "../query/stages.ts";
import { type Html, html } from "./html.ts";
import type { Linked, Page } from "./page.ts";
import { formatLabel } from "./words.ts";

/** A proposal of a field for a stage, as people would write it. */
export interface Proposals {
  /** Goals of the key. */
  readonly goals: readonly string[];
  /** Most viewed pages. */
  readonly pages: readonly string[];
  /** Most frequent steps. */
  readonly steps: readonly string[];
}

/** Lists what a field for a stage proposes. */
export function listProposals({ goalNames, frequent }: Pick<Page, "goalNames" | "frequent">): Proposals {
  return {
    goals: goalNames.map((goal) => writeStage([{ goal }])),
    pages: (frequent?.pages ?? []).flatMap(proposePage),
    steps: (frequent?.steps ?? []).flatMap((step) => writeShort(step, { step })),
  };
}

/** Writes a page as a stage; nothing of one that a stage can't name. */
export function proposePage(page: string): readonly string[] {
  return page.startsWith("/") ? writeShort(page, { page }) : [];
}

/** Builds the list that a field with this `list` proposes. */
export function buildProposals(id: string, { goals, pages, steps }: Proposals): Html {
  const texts = [...goals, ...pages, ...steps];
  return html`<datalist id="${id}">${texts.map((text) => html`<option value="${text}"></option>`)}</datalist>`;
}

/** Writes a page or a step as its list has it, or else in full; nothing of a name that looks like another or can't be asked for. */
function writeShort(name: string, event: StageEvent): readonly string[] {
  const whole = writeStage([event]);
  if (formatLabel(name) !== name || /%7c/i.test(name)) return [];
  const text = [name, whole].find((one) => {
    const stage = readReturn(one);
    return !isProblem(stage) && writeStage(stage) === whole;
  });
  return text === undefined ? [] : [text];
}

/** Says how an event is written, by names that there are. */
export function buildSyntax(
  { rule, hint = "" }: { readonly rule: string; readonly hint?: string },
  { pages: [page], steps, goals: [goal] }: Proposals,
): Html {
  const step = steps.find((name) => !name.startsWith("$"));
  return html`
    <p
      class="note">${rule}: write the path of the page${page !== undefined &&
        html`, such as <code><bdi>${page}</bdi></code>`}, or the name of the step${step !== undefined &&
        html`, such as <code><bdi>${step}</bdi></code>`}, as in the lists of pages and steps. <code>/*</code> is any page${hint}.</p>
    <details>
      <summary>More ways to write it</summary>
      <ul class="note">
        <li><code>/PATH/*</code> is any page whose path begins with <code>/PATH/</code>.</li>
        <li><code><bdi>${goal ?? "goal:NAME"}</bdi></code> is a goal of the key.</li>
        <li><code>step:NAME:PROPERTY:"VALUE"</code> is a step whose property has the value; a number has no quotes.</li>
        <li><code>|</code> between two of them means that either will do.</li>
      </ul>
    </details>
  `;
}

/** Builds the fields that take along what the form doesn't ask for. */
export function buildHidden(page: Linked, names: readonly string[]): readonly Html[] {
  return [...page.write(page.query)].filter(([name]) => !names.includes(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

/** Options of {@linkcode buildSelect}. */
export interface Choice<T extends string> {
  readonly label: string;
  readonly words: Readonly<Record<T, string>>;
  readonly chosen: T;
}

/** Builds a field that chooses one of several words. */
export function buildSelect<T extends string>(name: string, { label, words, chosen }: Choice<T>): Html {
  const options = Object.entries<string>(words).map(([value, text]) =>
    html`
      <option value="${value}" ${value === chosen && html`
        selected
      `}>${text}</option>
    `
  );
  return html`<label>${label} <select name="${name}">${options}</select></label>`;
}
