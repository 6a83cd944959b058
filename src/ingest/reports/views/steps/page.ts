import type { ViolationKind } from "@vendor/sdk/contract";
import { ENGAGED_KEY } from "../../../events/visit_facts.ts";
import type { NumberCounts, ValueCounts } from "../../../ports/report_counts.ts";
import { describeOtherPages } from "../../page/filters.ts";
import { type Html, html } from "../../page/html.ts";
import { buildFilterLink, buildLink } from "../../page/links.ts";
import { buildList, buildRowLink, type Head, type ListRow, NO_VISITORS } from "../../page/list.ts";
import {
  buildChoices,
  buildPager,
  buildPagerOf,
  buildPair,
  buildSearch,
  buildSortHead,
  createGoalCells,
  describeGoal,
  describeNone,
  describePairs,
  hasEarlier,
  listGoalHeads,
  listGoalOthers,
  nameValue,
} from "../../page/list_controls.ts";
import type { Page } from "../../page/page.ts";
import {
  createAmountFormat,
  formatCount,
  formatCountOf,
  formatDuration,
  formatLabel,
  formatNumber,
} from "../../page/words.ts";
import { WHOLE_LIST } from "../../query/list_query.ts";
import { buildStepChart } from "./chart.ts";
import type { Valued } from "./goal_value.ts";
import type { StepsView, StepValuesView, TargetsView } from "./object.ts";
import type { StepsQuery } from "./query.ts";

/** Builds the list of steps, the values of one, and what breaks the plan. */
export function buildSteps(page: Page<StepsQuery>, view: StepsView): Html {
  const { values, violationCount, targets } = view;
  return html`${values && html`${buildStepChart(page, values)}${buildValues(page, values)}`}${buildNames(page, view)}${
    targets.map((one) => buildTargets(page, one))
  }${violationCount > 0 && buildViolations(page, view)}`;
}

/** Builds the list of the site's own steps, and that of automatic ones: there are so many of these that no bar would show. */
function buildNames(page: Page<StepsQuery>, view: StepsView): readonly Html[] {
  const { rows, count, other, values } = view;
  const hasBefore = hasEarlier(rows);
  const others = describeOtherPages(page.query.filters);
  // With the values of a step, it's their list that is searched and sorted.
  const isPlain = values !== undefined;
  const head = (label: string, column: string): string | Head => isPlain ? label : buildSortHead(page, label, column);
  const isAutomatic = ({ name }: { readonly name: string }): boolean => name.startsWith("$");
  const groups = [
    { title: "Steps", rows: rows.filter((row) => !isAutomatic(row)) },
    { title: "Automatic events", rows: rows.filter(isAutomatic) },
  ].filter((group, index) => group.rows.length > 0 || (rows.length === 0 && index === 0));
  return groups.map(({ title, rows: listed }, index) => {
    const formatAmount = createAmountFormat(listed.map(({ goalValue = null }) => goalValue));
    return buildList({
      title,
      caption: `By how often they happened; a name leads to the sessions that have it. Pageviews aren't among them${
        others === undefined ? "" : `. ${others}`
      }${describePairs(page, rows)}${describeValue(listed)}`,
      heads: [
        head("Name", "name"),
        head("Times", "count"),
        head("Visitors", "visitors"),
        nameValue(page),
        "Chart, values",
      ],
      rows: listed.map(({ name, count: times, visitors, before, goalValue = null }) => ({
        label: buildRowLink(buildFilterLink(page, { name: "step", values: [name] }), formatLabel(name)),
        bar: { full: times, aggregate: 0 },
        cells: [
          buildPair(page, { now: times, before: before?.count, hasBefore }),
          buildPair(page, { now: visitors, before: before?.visitors, hasBefore }),
          formatAmount(goalValue),
          buildValuesLink(page, name),
        ],
      })),
      count: listed.length,
      noun: "names",
      none: isPlain ? undefined : describeNone(page),
      ...(index === 0 && !isPlain && { before: buildSearch(page, view, { noun: "names" }) }),
      ...(index === groups.length - 1 && {
        count: listed.length + count - rows.length,
        other: other && [formatCount(other.count), NO_VISITORS, "–", ""],
        ...(!isPlain && { pager: buildPager(page, view, "names") }),
      }),
    });
  });
}

/** Says what the column of values has, where there is one. */
function describeValue(rows: readonly Valued[]): string {
  const hasSome = rows.some(({ goalValue }) => goalValue !== undefined);
  return hasSome ? ". Value is what a step is worth by the first goal that any such step reaches" : "";
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
    // The list of all values of the step is sorted, searched and paged.
    pager: other === null ? undefined : html`
      <p class="note">${formatCount(rows.length)} of ${formatCount(count)} ${noun}. <a href="${buildLink(page, {
        ...WHOLE_LIST,
        step,
        key,
      })}">All ${noun}</a></p>
    `,
  });
}

/** Builds the row of a value. */
function buildValue(
  page: Page<StepsQuery>,
  { step, key, value, count, visitors }: ValueCounts & { readonly step: string; readonly key: string },
): ListRow {
  const link = buildFilterLink(page, { name: "property", step, key, values: [JSON.stringify(value)] });
  return {
    label: buildRowLink(link, formatValue(key, value)),
    bar: { full: count, aggregate: 0 },
    cells: [count, visitors].map(formatCount),
  };
}

function buildValuesLink(page: Page<StepsQuery>, step: string): Html {
  const link = buildLink(page, { ...WHOLE_LIST, step, key: undefined });
  return html`<a href="${link}">Show<span class="unseen"> chart and values of <bdi>${
    formatLabel(step)
  }</bdi></span></a>`;
}

function buildValues(page: Page<StepsQuery>, view: StepValuesView): Html {
  const { step, keys, key, rows, count, other, numbers } = view;
  const hasBefore = hasEarlier(rows);
  // A goal that is chosen has a value of its own.
  const hasGoal = page.query.goal !== undefined;
  const listGoalCells = createGoalCells(page, rows);
  const formatAmount = createAmountFormat(rows.map(({ goalValue = null }) => goalValue));
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
    caption: `By value of the property ${formatLabel(key)}; a value leads to the sessions that have it${
      describePairs(page, rows)
    }${hasGoal ? describeGoal(page, "that have the value") : describeValue(rows)}`,
    heads: [
      buildSortHead(page, formatLabel(key), "name"),
      buildSortHead(page, "Times", "count"),
      ...listGoalHeads(page),
      buildSortHead(page, "Visitors", "visitors"),
      ...(hasGoal ? [] : [nameValue(page)]),
    ],
    rows: rows.map(({ before, conversion, goalValue = null, ...row }) => ({
      ...buildValue(page, { step, key, ...row }),
      cells: [
        buildPair(page, { now: row.count, before: before?.count, hasBefore }),
        ...listGoalCells(conversion === undefined ? {} : { conversion }),
        buildPair(page, { now: row.visitors, before: before?.visitors, hasBefore }),
        ...(hasGoal ? [] : [formatAmount(goalValue)]),
      ],
    })),
    count,
    other: other && [formatCount(other.count), ...listGoalOthers(page), NO_VISITORS, ...(hasGoal ? [] : ["–"])],
    noun: "values",
    none: describeNone(page),
    pager: buildPager(page, view, "values"),
    before: html`
      <nav aria-label="Properties">
        ${buildChoices(keys.map((one) => ({
          link: buildLink(page, { ...WHOLE_LIST, step, key: one }),
          label: html`<bdi>${formatLabel(one)}</bdi>`,
          isChosen: one === key,
        })))}
      </nav>
      ${buildSearch(page, view, { noun: "values", hasGoal: true })}
      ${numbers !== null && buildNumbers(key, numbers)}
    `,
  });
}

/** Sums up the numbers among the values, above these: there may be too many of them to read. */
function buildNumbers(key: string, { count, sum, median, p75, p90 }: NumberCounts): Html {
  const format = key === ENGAGED_KEY ? formatDuration : formatNumber;
  return html`
    <p
      class="note">${formatCountOf(count, "number")}: sum ${format(sum)}, median ${format(
        median,
      )}, 75% of them at most ${format(p75)}, 90% at most ${format(p90)}.</p>
  `;
}

/** Writes a value; a text that reads like a number or a word of JSON stands in quotes. */
function formatValue(key: string, value: ValueCounts["value"]): string {
  // Rounded as times are elsewhere, two values would look the same.
  if (key === ENGAGED_KEY && typeof value === "number") return `${value / 1000} s`;
  if (typeof value !== "string") return JSON.stringify(value);
  return /^(-?\d.*|true|false|null)$/.test(value) ? `"${formatLabel(value)}"` : formatLabel(value);
}

/** The breach of the plan, in words for people. */
const VIOLATION_LABELS: Readonly<Record<ViolationKind, string>> = {
  unknown: "unknown name",
  missing: "missing property",
  invalid: "wrong property",
};

function buildViolations(page: Page<StepsQuery>, { violations, violationCount: count }: StepsView): Html {
  return buildList({
    title: "Off the plan",
    caption: "Events that break the plan, by name and fault",
    heads: ["Name", "Fault", "Events"],
    rows: violations.map(({ name, kind, count }) => ({
      label: html`<bdi>${formatLabel(name)}</bdi>`,
      bar: { full: count, aggregate: 0 },
      cells: [VIOLATION_LABELS[kind], formatCount(count)],
    })),
    count,
    noun: "faults",
    pager: buildPagerOf(
      { offset: page.query.violationOffset, shown: violations.length, count, noun: "faults" },
      (violationOffset) => buildLink(page, { violationOffset }),
    ),
  });
}
