import { type Html, html } from "./html.ts";
import { STYLE } from "./style.ts";

// An image of its own: browsers ask for /favicon.ico otherwise, which isn't ours to answer.
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cg fill='%234b53e0'%3E%3Crect x='1' y='8' width='4' height='7' rx='1'/%3E%3Crect x='6' y='4' width='4' height='11' rx='1'/%3E%3Crect x='11' y='1' width='4' height='14' rx='1'/%3E%3C/g%3E%3C/svg%3E";

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
