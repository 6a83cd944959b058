import { type Bar, buildChart } from "../../page/chart.ts";
import { type Html, html } from "../../page/html.ts";
import { LEGEND } from "../../page/legend.ts";
import { buildFilterLink, buildLink } from "../../page/links.ts";
import { buildList, buildRowLink, type Head, type ListRow } from "../../page/list.ts";
import { buildPair, buildSortHead, describePairs, hasEarlier } from "../../page/list_controls.ts";
import { buildNotes } from "../../page/note_list.ts";
import type { Page } from "../../page/page.ts";
import { findMarked, findPartial, type Named, namePart, namePartShortly } from "../../page/parts.ts";
import { nameSource } from "../../page/source_words.ts";
import {
  capitalize,
  formatBefore,
  formatCount,
  formatCountOf,
  formatLabel,
  formatNumber,
  formatPath,
  formatRatio,
  nameThen,
} from "../../page/words.ts";
import { formatRange } from "../../query/days.ts";
import { countViews } from "../../view/spans.ts";
import type { ConsentView } from "./object.ts";
import { CONSENT_COLUMNS, type ConsentQuery } from "./query.ts";

const PERCENT = { top: 100, unit: "%" } as const;

/** Builds what came with consent and before it, side by side. */
export function buildConsent(page: Page<ConsentQuery>, view: ConsentView): Html {
  const { current, before, unit, parts, pages, referrers } = view;
  const { pageviews, arrivals, viewsPerArrival, viewsPerSession, consentShare } = current;
  const then = nameThen(page.query);
  const description =
    `Bar chart, ${formatRange(current.from, current.to)}: the share of views with consent by ${unit}, ` +
    `${formatRatio(consentShare)} in all.`;
  return html`
    <h2>Consent</h2>
    <dl class="figures four">
      <div>
        <dt>With consent</dt>
        <dd>${formatRatio(consentShare)}</dd>
        <dd class="note">${formatBefore(formatRatio(before.consentShare), then)}</dd>
      </div>
      <div>
        <dt>Views with consent</dt>
        <dd>${formatCount(pageviews.full)}</dd>
        <dd class="note">${formatCount(before.pageviews.full)} ${then}</dd>
      </div>
      <div>
        <dt>Views before consent</dt>
        <dd>${formatCount(pageviews.aggregate)}</dd>
        <dd class="note">${formatCount(before.pageviews.aggregate)} ${then}</dd>
        ${viewsPerArrival !== null && html`
          <dd class="note">${formatNumber(viewsPerArrival)} for each of ${formatCountOf(
            arrivals.aggregate,
            "arrival",
          )} among them</dd>
        `}
      </div>
      <div>
        <dt>Arrivals before a choice</dt>
        <dd>${formatCount(current.arrivalsBeforeChoice)}</dd>
        <dd class="note">${formatCount(before.arrivalsBeforeChoice)} ${then}</dd>
        <dd class="note">${formatCount(
          Math.max(0, current.arrivalsBeforeChoice - arrivals.aggregate),
        )} consented on the page that they came to; the others later, or never</dd>
      </div>
      <div>
        <dt>Newly consented</dt>
        <dd>${formatCount(current.newlyConsented)}</dd>
        <dd class="note">${formatCount(before.newlyConsented)} ${then}</dd>
        <dd class="note">new visitors; each sign-out makes one more</dd>
      </div>
      <div>
        <dt>Acceptance</dt>
        <dd>${hasAcceptance(current) ? formatAcceptance(current) : "–"}</dd>
        <dd class="note">${hasAcceptance(before)
          ? `${formatAcceptance(before)} ${then}`
          : hasAcceptance(current)
          ? "of the arrivals before a choice"
          : "no estimate of how many accept"}</dd>
      </div>
      <div>
        <dt>Arrivals with consent</dt>
        <dd>${formatCount(arrivals.full)}</dd>
        <dd class="note">${formatNumber(viewsPerSession)} ${viewsPerSession === 1 ? "view" : "views"} per session</dd>
      </div>
    </dl>
    <section class="card"><h2>Share with consent per ${unit}</h2>${LEGEND}${buildChart({
      bars: buildShareBars({ unit, parts, to: current.to, weekStart: page.query.weekStart }, page),
      description,
      scale: PERCENT,
    })}${buildNotes(page)}${buildParts(view)}</section>
    <div class="columns">${buildList({
      title: "By page",
      caption: `Pageviews, and the share with consent; a page leads to its overview${describePairs(page, pages)}`,
      heads: buildHeads(page, ["Path", "Views", "With consent"]),
      rows: pages.map((row) =>
        buildRow(row, {
          page,
          name: "page",
          label: formatLabel(formatPath(row.label ?? "")),
          hasBefore: hasEarlier(pages),
        })
      ),
      count: view.pageCount,
      noun: "pages",
      pager: describeRest(pages, { count: view.pageCount, noun: "pages" }),
      after: pages.length < 2 || !page.sections.some(({ name }) => name === "pages")
        ? undefined
        : html`<p class="note"><a href="${
          buildLink(page, { view: "pages", ...BY_CONSENT })
        }">All pages, those with the least consent first</a></p>`,
    })}${buildList({
      title: "By source",
      caption: `Pageviews that came from elsewhere, and the share with consent${describePairs(page, referrers)}`,
      heads: buildHeads(page, ["Referrer", "Arrivals", "With consent"]),
      rows: referrers.map((row) =>
        buildRow(row, {
          page,
          name: "referrer",
          label: nameSource("referrer", row.label),
          hasBefore: hasEarlier(referrers),
        })
      ),
      count: view.referrerCount,
      noun: "referrers",
      pager: describeRest(referrers, { count: view.referrerCount, noun: "referrers" }),
      after: referrers.length < 2
        ? undefined
        : html`<p class="note"><a href="${buildLink(page, BY_CONSENT)}">Those with the least consent first</a></p>`,
    })}</div>
    <p
      class="note">Nothing is sent after a denial. Refusing the question and ignoring it look the same, so there is no rate of refusals. How many accept is an estimate: a visitor who arrives twice before choosing counts twice, one who signs out (<code>reset()</code>) or whose browser lost the ID is new again, and some consent later than they arrived. There is no estimate without views before consent, or where more consent than arrived.</p>
  `;
}

/** Order of the list of pages. */
const BY_CONSENT = { sort: "consentShare", direction: "asc" } as const;

/** Builds the table of the parts, folded away: the chart's figures for those who can't see or hover it. */
function buildParts({ unit, parts, current: { to } }: ConsentView): Html {
  return html`
    <details>
      <summary>Figures per ${unit}</summary>
      <div class="scroll" tabindex="0" role="group" aria-label="Figures per ${unit}">
        <table class="days">
          <caption>Views and consent by ${unit}</caption>
          <thead>
            <tr>
              <th scope="col">${capitalize(unit)}</th>
              <th scope="col">With consent</th>
              <th scope="col">Views with it</th>
              <th scope="col">Views before it</th>
              <th scope="col">Newly consented</th>
            </tr>
          </thead>
          <tbody>${parts.map((part, index) =>
            html`
              <tr>
                <th scope="row">${namePart({ unit, parts, to }, index)}</th>
                <td>${formatRatio(part.consentShare)}</td>
                <td>${formatCount(part.pageviews.full)}</td>
                <td>${formatCount(part.pageviews.aggregate)}</td>
                <td>${formatCount(part.newlyConsented)}</td>
              </tr>
            `
          )}</tbody>
        </table>
      </div>
    </details>
  `;
}

/** Whether there is an estimate of how many accept. Above all of them, and of nothing before consent, it would mislead. */
function hasAcceptance({ acceptance, pageviews }: ConsentView["before"]): boolean {
  return acceptance !== null && acceptance <= 1 && pageviews.aggregate > 0;
}

/** Writes about how many of ten arrivals consent. */
function formatAcceptance({ acceptance }: ConsentView["before"]): string {
  const ofTen = Math.round((acceptance ?? 0) * 10);
  return ofTen === 0 ? "fewer than 1 in 10" : `about ${ofTen} in 10`;
}

/** Says where the rest of a list is: in JSON, since CSV has the parts of the days instead. */
function describeRest(
  { length }: readonly unknown[],
  { count, noun }: { readonly count: number; readonly noun: string },
): Html | undefined {
  if (length === count) return undefined;
  return html`<p class="note">${formatCount(length)} of ${formatCount(count)} ${noun}; consent.json has more.</p>`;
}

/** Builds the heads of a list, which sort both. */
function buildHeads(page: Page<ConsentQuery>, labels: readonly string[]): readonly Head[] {
  return CONSENT_COLUMNS.map((column, index) => buildSortHead(page, labels[index] ?? "", column));
}

interface RowOptions {
  readonly page: Page;
  readonly name: "page" | "referrer";
  readonly label: string;
  readonly hasBefore: boolean;
}

function buildRow(
  { label: value, pageviews, consentShare, before }: ConsentView["pages"][number],
  { page, name, label, hasBefore }: RowOptions,
): ListRow {
  const then = nameThen(page.query);
  return {
    label: buildRowLink(buildFilterLink(page, { name, values: [value ?? ""] }), label),
    bar: pageviews,
    cells: [
      buildPair(page, { now: countViews(pageviews), before: before ? countViews(before.pageviews) : 0, hasBefore }),
      hasBefore
        ? html`${formatRatio(consentShare)}<br><span class="note">${
          formatRatio(before?.consentShare ?? null)
        }<span class="unseen"> ${then}</span></span>`
        : formatRatio(consentShare),
    ],
  };
}

/** Builds the bars of the shares with consent, in percent. */
function buildShareBars(
  part: Named<ConsentView["parts"][number]>,
  page: Pick<Page, "notes" | "today" | "clock">,
): readonly Bar[] {
  const marked = findMarked(part, page.notes);
  const partial = findPartial(part, page);
  return part.parts.map(({ pageviews: { full, aggregate }, consentShare }, index) => {
    const share = (consentShare ?? 0) * 100;
    const tick = namePartShortly(part, index);
    return {
      full: share,
      aggregate: consentShare === null ? 0 : 100 - share,
      figures: [
        `${namePart(part, index)}: ${
          consentShare === null ? "no pageviews" : `${formatRatio(consentShare)} with consent`
        }`,
        `${formatCount(full)} of ${formatCountOf(full + aggregate, "view")}`,
      ],
      ...(tick !== undefined && { tick }),
      isMarked: marked.has(index),
      isPartial: partial.has(index),
    };
  });
}
