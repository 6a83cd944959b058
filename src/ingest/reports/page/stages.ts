import type { ReportFilter } from "../../ports/reader.ts";
import { isPathPattern } from "../../events/path_rules.ts";
import { type Html, html } from "./html.ts";
import { isProblem } from "../query/query.ts";
import { buildFilterLink, formatLabel, formatPath, type Page } from "./words.ts";
import { readReturn, type Stage, type StageEvent, writeStage } from "../query/stages.ts";

/** Says what passes a stage: `page /cart or goal Order`. */
export function describeStage(stage: Stage): Html {
  return html`${
    stage.map((event, index) => {
      const [kind, name] = nameEvent(event);
      const property = "property" in event ? event.property : undefined;
      return html`${index > 0 && " or "}<span class="note">${kind}</span> <bdi>${name}</bdi>${
        property && html`
          <span class="note">with <bdi>${formatLabel(property.key)}</bdi> <bdi>${formatLabel(
            property.value,
          )}</bdi></span>
        `
      }`;
    })
  }`;
}

/** Builds a stage that leads to the sessions that have it; where it has alternatives or a pattern, no filter does. */
export function buildStageLink(page: Page, stage: Stage): Html {
  const [event, ...others] = stage;
  const filter = event === undefined || others.length > 0 ? undefined : toFilter(event);
  const text = describeStage(stage);
  return filter === undefined ? text : html`<a href="${buildFilterLink(page, filter)}">${text}</a>`;
}

/** What a field for a stage proposes, as people would write it. */
export interface Proposals {
  /** Goals of the key. */
  readonly goals: readonly string[];
  /** Most viewed pages. */
  readonly pages: readonly string[];
  /** Most frequent steps. */
  readonly steps: readonly string[];
}

/** Lists what a field for a stage proposes. */
export function listProposals({ goalNames, frequent }: Page): Proposals {
  return {
    goals: goalNames.map((goal) => writeStage([{ goal }])),
    pages: (frequent?.pages ?? []).flatMap((page) => page.startsWith("/") ? writeShort(page, { page }) : []),
    steps: (frequent?.steps ?? []).flatMap((step) => writeShort(step, { step })),
  };
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

function nameEvent(event: StageEvent): readonly [kind: string, name: string] {
  if ("goal" in event) return ["goal", formatLabel(event.goal)];
  if ("step" in event) return ["step", formatLabel(event.step)];
  return ["page", formatLabel(formatPath("page" in event ? event.page : event.pages))];
}

function toFilter(event: StageEvent): ReportFilter | undefined {
  if ("goal" in event) return { name: "goal", values: [event.goal] };
  if ("pages" in event || ("page" in event && isPathPattern(event.page))) return undefined;
  if ("page" in event) return { name: "page", values: [event.page] };
  if (event.property === undefined) return { name: "step", values: [event.step] };
  return { name: "property", step: event.step, key: event.property.key, values: [event.property.value] };
}
