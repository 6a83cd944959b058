import { attempt } from "../../client/base/attempt.ts";

/**
 * Keeps what has the focus in sight while a banner covers the bottom of the page (WCAG 2.4.11): browsers scroll it above the
 * banner, and the page gets room for that at its end. It's a sheet of its own that says so: an attribute of the root element
 * is the framework's that made the page.
 *
 * @param host An element at the end of the page, of which nothing else is seen.
 * @param banner What covers the page.
 * @returns Gives the page its own scrolling back.
 */
export function makeRoom(host: HTMLElement, banner: HTMLElement): () => void {
  const { ownerDocument: page } = host;
  let hasEnded = false;
  // Without layout, or in a browser from before 2023, there is none.
  const sheet = attempt(() => {
    const made = new CSSStyleSheet();
    page.adoptedStyleSheets = [...page.adoptedStyleSheets, made];
    return made;
  });
  const fit = (): void => {
    if (hasEnded) return;
    const height = `${banner.offsetHeight}px`;
    host.style.height = height;
    sheet?.replaceSync(`:root{scroll-padding-bottom:${height}}`);
  };
  // In the next frame: what changes the size of the banner while it's observed is an error at the window.
  const observer = attempt(() => new ResizeObserver(() => requestAnimationFrame(fit)));
  observer?.observe(banner);
  return () => {
    hasEnded = true;
    observer?.disconnect();
    if (sheet) page.adoptedStyleSheets = page.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}
