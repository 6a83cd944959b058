import { isPathPattern } from "../../events/path_rules.ts";
import type { ReportFilter } from "../../ports/report_query.ts";
import type { Stage, StageEvent } from "../query/stages.ts";
import { type Html, html } from "./html.ts";
import { buildFilterLink } from "./links.ts";
import type { Linked } from "./page.ts";
import { formatLabel, formatPath } from "./words.ts";

/** Pattern of any page. */
export const ANY_PAGE = "/*";

/** Says what passes a stage: `page /cart or goal Order`. */
export function describeStage(stage: Stage): Html {
  return html`${
    stage.map((event, index) => {
      const [kind, name] = nameEvent(event);
      const property = "property" in event ? event.property : undefined;
      return html`${index > 0 && " or "}${
        kind !== undefined && html`
          <span class="note">${kind}</span>
        `
      }<bdi>${name}</bdi>${
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
export function buildStageLink(page: Linked, stage: Stage): Html {
  const [event, ...others] = stage;
  const filter = event === undefined || others.length > 0 ? undefined : toFilter(event);
  const text = describeStage(stage);
  return filter === undefined ? text : html`<a href="${buildFilterLink(page, filter)}">${text}</a>`;
}

function nameEvent(event: StageEvent): readonly [kind: string | undefined, name: string] {
  if ("goal" in event) return ["goal", formatLabel(event.goal)];
  if ("step" in event) return ["step", formatLabel(event.step)];
  const path = "page" in event ? event.page : event.pages;
  return path === ANY_PAGE ? [undefined, "any page"] : ["page", formatLabel(formatPath(path))];
}

function toFilter(event: StageEvent): ReportFilter | undefined {
  if ("goal" in event) return { name: "goal", values: [event.goal] };
  if ("pages" in event || ("page" in event && isPathPattern(event.page))) return undefined;
  if ("page" in event) return { name: "page", values: [event.page] };
  if (event.property === undefined) return { name: "step", values: [event.step] };
  return { name: "property", step: event.step, key: event.property.key, values: [event.property.value] };
}
