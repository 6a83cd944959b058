import { type Html, html } from "./html.ts";

// An image of its own: browsers ask for /favicon.ico otherwise, which isn't ours to answer.
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cg fill='%234b53e0'%3E%3Crect x='1' y='8' width='4' height='7' rx='1'/%3E%3Crect x='6' y='4' width='4' height='11' rx='1'/%3E%3Crect x='11' y='1' width='4' height='14' rx='1'/%3E%3C/g%3E%3C/svg%3E";

/** The style of every page. Its hash is in the content security policy: not a byte may be added on the way. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f5f6f9; --card: #fff; --ink: #171a23; --soft: #586074; --line: #e2e5ec; --grid: #e9ebf1;
  --full: #4b53e0; --aggregate: #d9790b; --link: #3d45c9; --alarm: #b42318; --shade: 15 18 40; --edge: rgb(15 18 40 / 0.15);
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #0e1016; --card: #171a23; --ink: #eceef4; --soft: #a0a8bb; --line: #2a2f3c; --grid: #242936;
    --full: #8b93ff; --aggregate: #f0a442; --link: #a9afff; --alarm: #ff8f85; --shade: 0 0 0; --edge: rgb(160 168 187 / 0.22);
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; max-width: 76rem; padding: clamp(1rem, 3vw, 2.5rem); background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
a { color: var(--link); text-underline-offset: 0.2em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px; }
h1 { margin: 0; font-size: clamp(1.6rem, 4.5vw, 2.3rem); line-height: 1.15; letter-spacing: -0.02em; overflow-wrap: anywhere; }
h2 { margin: 0 0 0.75rem; font-size: 1.05rem; letter-spacing: -0.005em; overflow-wrap: anywhere; }
.kicker { margin: 0 0 0.2rem; color: var(--soft); font-size: 0.8rem; font-weight: 600; letter-spacing: 0.08em; text-transform: uppercase; }
.range { font-size: 1.05rem; }
.note { color: var(--soft); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -100vw; padding: 0.5rem 0.8rem; background: var(--card); border-radius: 8px; }
.skip:focus { left: 1rem; top: 0.5rem; z-index: 1; }
.choice { margin: 0.35rem 0 0; }
form { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: end; padding: 0.5rem 0; }
label { display: grid; grid-template-columns: minmax(0, auto); max-width: 100%; gap: 0.25rem; color: var(--soft); font-size: 0.85rem; }
input, select, button {
  font: inherit; font-size: 0.95rem; color: var(--ink); background: var(--card); border: 1px solid var(--line);
  border-color: color-mix(in srgb, var(--soft) 70%, var(--card)); border-radius: 8px; padding: 0.45rem 0.6rem; height: 2.6rem; max-width: 100%;
}
button { height: auto; min-height: 2.6rem; padding-inline: 1.1rem; border-color: var(--link); background: var(--link); color: var(--card); font-weight: 600; cursor: pointer; }
button:hover { filter: brightness(1.1); }
.presets { display: flex; flex-wrap: wrap; gap: 0.4rem; margin: 0.9rem 0 0; padding: 0; list-style: none; }
.presets a, .presets button {
  display: block; min-height: 0; padding: 0.3rem 0.8rem; border: 1px solid var(--line); border-radius: 99px; background: var(--card);
  color: var(--ink); font-size: 0.88rem; font-weight: 400; text-decoration: none;
}
.presets a:hover, .presets button:hover { border-color: var(--link); color: var(--link); }
.presets [aria-current] { border-color: var(--link); background: var(--link); color: var(--card); font-weight: 600; }
.presets [aria-current]:hover { color: var(--card); }
.beside { display: flex; flex-wrap: wrap; gap: 0.2rem 0.9rem; margin: 0.7rem 0 0; padding: 0; list-style: none; color: var(--soft); font-size: 0.88rem; }
.beside [aria-current] { color: var(--ink); font-weight: 600; text-decoration: none; }
.card .presets { margin: 0 0 0.9rem; overflow-wrap: anywhere; }
.goals { display: flex; gap: 0.6rem; align-items: baseline; }
.goals > span { color: var(--soft); font-size: 0.85rem; }
.goals details { margin: 0 0 0.9rem; }
.sections {
  display: flex; flex-wrap: wrap; gap: 0 1.4rem; margin: 1rem 0 0; padding: 0; list-style: none; border-bottom: 1px solid var(--line);
}
.sections a { display: block; padding: 0.45rem 0; border-bottom: 3px solid transparent; color: var(--soft); text-decoration: none; }
.sections a:hover { color: var(--link); }
.sections [aria-current] { border-color: var(--link); color: var(--ink); font-weight: 600; }
main { display: grid; gap: 1rem; margin: 1.2rem 0; }
main > * { min-width: 0; }
main > p { margin: 0; }
.change { font-size: 0.9rem; text-decoration: underline; text-underline-offset: 0.2em; }
.filters ul { display: grid; gap: 0.4rem; margin: 0; padding: 0; list-style: none; }
.filters li, .filters p { margin: 0; overflow-wrap: anywhere; }
.filters p { margin-top: 0.4rem; }
.chip {
  padding: 0.1rem 0.6rem; border: 1px solid var(--link); border-radius: 99px; background: var(--card); text-decoration: none;
}
.chip:hover { background: var(--link); color: var(--card); }
.card, .figures > div {
  background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 1.1rem 1.25rem;
  box-shadow: 0 1px 2px rgb(var(--shade) / 0.05);
}
.card { min-width: 0; }
.card > p, .card details li { overflow-wrap: anywhere; }
.card > :last-child { margin-bottom: 0; }
.card .scroll + form { margin-top: 1rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 9rem), 1fr)); gap: 1rem; margin: 0; }
@media (min-width: 46rem) { .four { grid-template-columns: repeat(4, 1fr); } }
.figures dt { color: var(--soft); font-size: 0.88rem; }
.figures dd { margin: 0; font-size: clamp(1.5rem, 4vw, 2rem); font-weight: 650; line-height: 1.2; letter-spacing: -0.02em; font-variant-numeric: tabular-nums; }
.figures .note { margin-top: 0.2rem; font-size: 0.85rem; font-weight: 400; line-height: 1.4; letter-spacing: 0; }
.figures .meter { margin: 0.35rem 0 0.3rem; font-size: 0; }
.over dd:not(.note) { color: var(--alarm); }
.over { --full: var(--alarm); }
.columns, .stack { display: grid; gap: 1rem; align-items: start; }
.columns > *, .stack > * { min-width: 0; }
@media (min-width: 46rem) { .columns { grid-template-columns: 1fr 1fr; } }
.legend { display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; margin: 0 0 0.6rem; color: var(--soft); font-size: 0.88rem; }
.legend span { display: inline-flex; gap: 0.4rem; align-items: center; }
.chart { display: flex; }
.scale { flex: none; }
.scale text { text-anchor: end; }
.plot { min-width: 0; overflow: visible; }
svg { display: block; }
.full { fill: var(--full); }
.aggregate { fill: var(--aggregate); }
.partial { opacity: 0.5; }
.before { fill: none; stroke: var(--ink); stroke-width: 2; stroke-linejoin: round; opacity: 0.8; }
.mark { fill: var(--ink); stroke: var(--ink); stroke-width: 1.5; }
line.mark { stroke-dasharray: 3 3; }
.notes { display: grid; gap: 0.2rem; margin: 0.6rem 0 0; padding: 0; list-style: none; font-size: 0.9rem; overflow-wrap: anywhere; }
.notes svg { display: inline-block; }
.track { fill: var(--grid); }
.chart text { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
.chart .grid { stroke: var(--grid); }
.chart .base { stroke: var(--line); }
.column rect { fill: transparent; }
.column text { fill: var(--ink); font-weight: 600; visibility: hidden; }
.column:hover text { visibility: visible; }
.column:hover rect { fill: rgb(128 134 160 / 0.22); }
details { margin-top: 0.75rem; }
details + .caption { margin-top: 0.75rem; }
summary { width: fit-content; padding: 0.25rem 0; color: var(--link); cursor: pointer; }
table { width: 100%; border-collapse: collapse; font-size: 0.92rem; font-variant-numeric: tabular-nums; }
caption, .caption { margin: 0; padding-bottom: 0.4rem; color: var(--soft); font-size: 0.85rem; text-align: left; }
th, td { padding: 0.4rem 0 0.4rem 0.75rem; border-top: 1px solid var(--line); text-align: right; font-weight: 400; vertical-align: top; }
th:first-child { padding-left: 0; text-align: left; }
thead th { border-top: 0; color: var(--soft); font-size: 0.8rem; vertical-align: bottom; }
tbody th { width: 99%; }
td { white-space: nowrap; }
.days tbody th { white-space: nowrap; }
.scroll {
  position: relative; overflow-x: auto;
  background: linear-gradient(to left, var(--card) 0.7rem, transparent) right / 1.4rem 100% no-repeat local,
    linear-gradient(to left, var(--edge), transparent) right / 0.7rem 100% no-repeat;
}
.scroll th:first-child { position: sticky; left: 0; min-width: 6.5rem; background: var(--card); }
.wide th:first-child { min-width: 7rem; }
.texts th:first-child { min-width: 9rem; }
.cohorts thead th { white-space: normal; }
.cohorts th + th, .cohorts td { padding: 0.4rem 0.5rem; }
.h1 { background: color-mix(in srgb, var(--full) 8%, transparent); }
.h2 { background: color-mix(in srgb, var(--full) 16%, transparent); }
.h3 { background: color-mix(in srgb, var(--full) 25%, transparent); }
.h4 { background: color-mix(in srgb, var(--full) 35%, transparent); }
.h5 { background: color-mix(in srgb, var(--full) 45%, transparent); }
.texts th, .texts td { text-align: left; }
.texts td { min-width: 8rem; white-space: normal; }
.texts tbody th { width: auto; }
.texts tbody + tbody .visit th { padding-top: 1.2rem; }
.texts td:last-child { width: 50%; min-width: 12rem; }
@media (min-width: 60rem) {
  th, td { padding-left: 1.4rem; }
  thead th { white-space: nowrap; }
  .wide th:first-child { min-width: 9rem; }
  .wide thead th { white-space: normal; }
  .wide th + th, .wide td { padding-left: 1rem; }
}
/* A table that scrolls needs no heads of several lines, the highest of which may be out of sight. */
@media (max-width: 46rem) { .wide thead th { white-space: nowrap; } }
@media (max-width: 30rem) {
  th, td { padding-left: 0.6rem; }
  .figures { gap: 0.6rem; }
  .card, .figures > div { padding: 0.7rem 0.9rem; }
  .presets { gap: 0.3rem; margin-top: 0.6rem; }
  .presets a { padding: 0.25rem 0.6rem; }
  .sections { gap: 0 1.05rem; margin-top: 0.6rem; }
  main { gap: 0.7rem; margin: 0.8rem 0; }
}
.label {
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; overflow-wrap: anywhere;
}
.label a { color: inherit; text-decoration-color: var(--line); text-decoration-color: color-mix(in srgb, var(--soft) 60%, transparent); }
.label a:hover { color: var(--link); }
.share { margin-top: 0.3rem; border-radius: 2px; overflow: hidden; }
.pager { display: flex; flex-wrap: wrap; gap: 0.4rem 1rem; align-items: center; margin-top: 0.8rem; }
.pager p, .card .pager .presets { margin: 0; }
thead:has(a) th:not(:has(a)) { padding-bottom: 0.7rem; }
thead a { display: inline-block; padding-block: 0.3rem; color: inherit; text-decoration-color: var(--line); }
[aria-sort] a { color: var(--ink); font-weight: 600; }
.empty { padding: 2.5rem 1.25rem; text-align: center; }
.lead { margin: 0; font-size: 1.05rem; }
pre { margin: 1rem auto 0; padding: 1rem; max-width: 44rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; text-align: left; }
.command { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.problem { max-width: 36rem; margin: 12vh auto; }
.empty h1 { margin-bottom: 0.75rem; font-size: 1.5rem; }
footer { color: var(--soft); font-size: 0.85rem; }
footer p, .definitions { max-width: 68ch; }
.definitions { margin: 0.4rem 0 0; }
.definitions dt { margin-top: 0.5rem; color: var(--ink); font-weight: 600; }
.definitions dd { margin: 0; }
@media (forced-colors: active) {
  .before { stroke: CanvasText; } .full { fill: Highlight; } .aggregate { fill: GrayText; } .chart text { fill: CanvasText; }
  .chart .grid, .chart .base { stroke: GrayText; } .mark { stroke: CanvasText; } circle.mark { fill: CanvasText; }
}
header ul {
  overflow-x: auto; scrollbar-width: none;
  background: linear-gradient(to left, var(--paper) 0.7rem, transparent) right / 1.4rem 100% no-repeat local,
    linear-gradient(to left, var(--edge), transparent) right / 0.7rem 100% no-repeat;
}
header li a { white-space: nowrap; }
@media (max-width: 46rem) { header .presets, .beside { flex-wrap: nowrap; } header .presets li:has([aria-current]) { order: -1; } }
@media (max-width: 68rem) { .sections { flex-wrap: nowrap; } .sections li:has([aria-current]) { order: -1; } }
/* On a screen, the links below say it. */
@media screen { .then { display: none; } }
@media print {
  :root { --paper: #fff; } form, nav, .skip { display: none; } body { max-width: none; padding: 0; }
  .card, .figures > div { box-shadow: none; }
  .figures > div, .chart, tr, h2 { break-inside: avoid; } h2 { break-after: avoid; }
}
`;

/** Builds an HTML document. Its style is inline, and the one that the policy of the answer admits. */
export function buildDocument(title: string, body: Html): Html {
  return html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <title>${title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <link rel="icon" href="${ICON}">
        <style>${{ markup: STYLE }}</style>
      </head>
      <body>
    <a class="skip" href="#main">Skip to the figures</a>
    ${body}
      </body>
    </html>
  `;
}

/** Builds the document that says why there is no report. */
export function buildProblemDocument(title: string, message: string): Html {
  return buildDocument(
    title,
    html`
      <main id="main" class="problem">
        <section class="card empty">
          <h1>${title}</h1>
          <p>${message}</p>
          <p><a href="?">To the report</a></p>
        </section>
      </main>
    `,
  );
}
