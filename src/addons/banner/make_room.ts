import { attempt } from "../../client/base/attempt.ts";

/**
 * Keeps what has the focus in sight while a banner covers the bottom of the page (WCAG 2.4.11): browsers scroll it above the
 * banner, and the page gets room for that at its end.
 *
 * @param host An element at the end of the page, of which nothing else is seen.
 * @param banner What covers the page.
 * @returns Gives the page its own scrolling back.
 */
export function makeRoom(host: HTMLElement, banner: HTMLElement): () => void {
  const { style } = document.documentElement;
  const { scrollPaddingBottom } = style;
  const fit = (): void => {
    const height = `${banner.offsetHeight}px`;
    host.style.height = height;
    style.scrollPaddingBottom = height;
  };
  const observer = attempt(() => new ResizeObserver(fit)); // a DOM without layout has none
  observer?.observe(banner);
  return () => {
    observer?.disconnect();
    style.scrollPaddingBottom = scrollPaddingBottom;
  };
}
