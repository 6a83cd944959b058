import { type FigureName, FIGURES } from "../../events/figures.ts";
import { FEW_BELOW, FEW_TEXT } from "../query/few.ts";
import { type Html, html } from "./html.ts";
import { buildLink } from "./links.ts";
import type { Page } from "./page.ts";

/** The figures that the page explains. */
const EXPLAINED: readonly FigureName[] = [
  ...["pageviews", "visitors", "sessions", "landings", "bounceRate", "medianSessionMs"] as const,
  ...["entries", "exits", "exitRate", "engagedMsPerView", "sources", "sourceViews"] as const,
  ...["steps", "conversions", "conversionRate", "value", "newlyConsented", "acceptance", "users"] as const,
];

const DEFINITIONS: Html = html`
  <details>
    <summary>What these figures mean</summary>
    <dl class="definitions">${EXPLAINED.map((name) =>
      html`
        <dt>${FIGURES[name].title}</dt>
        <dd>${markCode(FIGURES[name].sentence)}</dd>
      `
    )}</dl>
  </details>
`;

/** Writes what stands in backticks as code. */
function markCode(text: string): readonly Html[] {
  return text.split("`").map((part, index) => index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`);
}

/** Says what a link to share does to figures. */
const COARSE =
  `This page is open to everybody who has its link: figures are rounded to multiples of ${FEW_BELOW}, and smaller ones are "${FEW_TEXT}".`;

/** Builds the bottom of the page: files, and what the figures mean. */
export function buildFooter(page: Page): Html {
  const { section } = page;
  const isOfPerson = section.subject === "person";
  const files = (["csv", "json"] as const).map((format) =>
    html`<li><a href="${buildLink(page, { format })}" download>${section.name}.${format}</a></li>`
  );
  return html`
    <footer>
      ${!isOfPerson && html`
        <nav aria-label="Files">
          <ul class="presets">${files}</ul>
        </nav>
      `}
      ${!isOfPerson && DEFINITIONS}
      <p>Days are those of ${page.query.zone.name}, by the visitor's clock unless that is wrong.${!isOfPerson &&
        html`
          A visitor counts once in the whole range and once in each of its parts and pages, so that visitors of two of them don't add up. A session counts where it began.
        `}</p>
      ${page.isCoarse && html`<p>${COARSE}</p>`}
      ${page.leaveLink !== undefined && html`<p><a href="${page.leaveLink}">Leave, or use another secret</a></p>`}
    </footer>
  `;
}
