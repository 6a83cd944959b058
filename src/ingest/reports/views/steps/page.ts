import type { ViolationKind } from "@vendor/sdk/contract";
import type { ValueCounts } from "../../../ports/reader.ts";
import { describeOtherPages } from "../../page/filters.ts";
import { type Html, html } from "../../page/html.ts";
import { buildFilterLink, buildLink } from "../../page/links.ts";
import { buildList, buildRowLink, type ListRow, NO_VISITORS } from "../../page/list.ts";
import type { Page } from "../../page/page.ts";
import { formatCount, formatCountOf, formatLabel, formatNumber } from "../../page/words.ts";
import { buildStepChart } from "./chart.ts";
import type { StepsView, StepValuesView, TargetsView } from "./object.ts";
import type { StepsQuery } from "./query.ts";

/** Builds the list of steps, the values of one, and what breaks the plan. */
export function buildSteps(page: Page<StepsQuery>, view: StepsView): Html {
  const { rows, count, other, values, violations, targets } = view;
  const others = describeOtherPages(page.query.filters);
  return html`${values && html`${buildStepChart(page, values)}${buildValues(page, values)}`}${
    buildList({
      title: "Steps",
      caption: `By how often they happened; a step leads to the sessions that have it. Pageviews aren't among them.${
        others === undefined ? "" : ` ${others}.`
      }`,
      heads: ["Name", "Times", "Visitors", "Chart, values"],
      rows: rows.map(({ name, count: times, visitors }) => ({
        label: buildRowLink(buildFilterLink(page, { name: "step", values: [name] }), formatLabel(name)),
        bar: { full: times, aggregate: 0 },
        cells: [...[times, visitors].map(formatCount), buildValuesLink(page, name)],
      })),
      count,
      other: other && [formatCount(other.count), NO_VISITORS, ""],
      noun: "names",
    })
  }${targets.map((one) => buildTargets(page, one))}${violations.length > 0 && buildViolations(view)}`;
}

/** Titles of the lists of targets. */
const TARGET_LABELS: Readonly<Record<TargetsView["step"], { readonly title: string; readonly noun: string }>> = {
  $outbound: { title: "Links that lead away", noun: "links" },
  $download: { title: "Downloads", noun: "files" },
  $form: { title: "Forms", noun: "forms" },
};

/** Builds the list of where an automatic event led to. */
function buildTargets(page: Page<StepsQuery>, { step, key, rows, count, other }: TargetsView): Html {
  const { title, noun } = TARGET_LABELS[step];
  return buildList({
    title,
    caption: `By the ${key} of ${step}; a row leads to the sessions that have it`,
    heads: [{ url: "Address", form: "Form", path: "Path" }[key], "Times", "Visitors"],
    rows: rows.map((row) => buildValue(page, { step, key, ...row })),
    count,
    other: other && [formatCount(other.count), NO_VISITORS],
    noun,
  });
}

/** Builds the row of a value. */
function buildValue(
  page: Page<StepsQuery>,
  { step, key, value, count, visitors }: ValueCounts & { readonly step: string; readonly key: string },
): ListRow {
  const link = buildFilterLink(page, { name: "property", step, key, values: [JSON.stringify(value)] });
  return {
    label: buildRowLink(link, formatValue(value)),
    bar: { full: count, aggregate: 0 },
    cells: [count, visitors].map(formatCount),
  };
}

function buildValuesLink(page: Page<StepsQuery>, step: string): Html {
  const link = buildLink(page, { step, key: undefined });
  return html`<a href="${link}">Show<span class="unseen"> chart and values of <bdi>${
    formatLabel(step)
  }</bdi></span></a>`;
}

function buildValues(page: Page<StepsQuery>, { step, keys, key, rows, count, other, numbers }: StepValuesView): Html {
  const name = formatLabel(step);
  if (key === null) {
    return html`
      <section class="card">
        <h2>Values of <bdi>${name}</bdi></h2>
        <p class="note">It has no properties with a single value in these days.</p>
      </section>
    `;
  }
  return buildList({
    title: `Values of ${name}`,
    caption: `By value of the property ${formatLabel(key)}; a value leads to the sessions that have it`,
    heads: ["Value", "Times", "Visitors"],
    rows: rows.map((row) => buildValue(page, { step, key, ...row })),
    count,
    other: other && [formatCount(other.count), NO_VISITORS],
    noun: "values",
    before: html`
      <nav aria-label="Properties">
        <ul class="presets">${keys.map((one) =>
          html`<li><a href="${buildLink(page, { step, key: one })}"${
            one === key && html`
              aria-current="true"
            `
          }><bdi>${formatLabel(one)}</bdi></a></li>`
        )}</ul>
      </nav>
    `,
    after: numbers === null ? undefined : html`
      <p
        class="note">${formatCountOf(numbers.count, "number")}: sum ${formatNumber(numbers.sum)}, median ${formatNumber(
          numbers.median,
        )}, 75% of them at most ${formatNumber(numbers.p75)}, 90% at most ${formatNumber(numbers.p90)}.</p>
    `,
  });
}

/** Writes a value; a text that reads like a number or a word of JSON stands in quotes. */
function formatValue(value: ValueCounts["value"]): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return /^(-?\d.*|true|false|null)$/.test(value) ? `"${formatLabel(value)}"` : formatLabel(value);
}

/** The breach of the plan, in words for people. */
const VIOLATION_LABELS: Readonly<Record<ViolationKind, string>> = {
  unknown: "unknown name",
  missing: "missing property",
  invalid: "wrong property",
};

function buildViolations({ violations, violationCount }: StepsView): Html {
  return buildList({
    title: "Off the plan",
    caption: "Events that break the plan, by name and fault",
    heads: ["Name", "Fault", "Events"],
    rows: violations.map(({ name, kind, count }) => ({
      label: html`<bdi>${formatLabel(name)}</bdi>`,
      bar: { full: count, aggregate: 0 },
      cells: [VIOLATION_LABELS[kind], formatCount(count)],
    })),
    count: violationCount,
    noun: "faults",
  });
}
