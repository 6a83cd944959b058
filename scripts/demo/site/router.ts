/**
 * A router as applications write it: links push, filters and redirects replace, the back button pops.
 *
 * @module
 */
import { byId } from "./dom.ts";
import { buildView, type PageActions, redirectOf } from "./pages.ts";

/** Moves between the pages of the shop. */
export interface Router {
  /** Shows the page of the current address, at startup. */
  start(): void;
}

/** Functions of the application for the router. */
export interface RouterOptions extends Pick<PageActions, "addToBasket"> {
  /** Hears of each page shown after the first. */
  readonly onNavigate: () => void;
}

/** Creates the router of the document. */
export function createRouter({ addToBasket, onNavigate }: RouterOptions): Router {
  const outlet = byId("main", HTMLElement);

  function show(how: string, isFocused: boolean): void {
    const target = redirectOf(new URL(location.href));
    // In the same task as the push before it: nobody has seen the first address, so it is one pageview.
    if (target !== null) history.replaceState(null, "", target);
    const url = new URL(location.href);
    const view = buildView(url, { addToBasket, filter });
    document.title = view.title;
    outlet.replaceChildren(...view.nodes);
    byId("address", HTMLElement).textContent = url.host + url.pathname + url.search + url.hash;
    byId("navigation-kind", HTMLElement).textContent = target === null ? how : `${how} + replaceState`;
    markCurrentLink(url.pathname);
    if (how !== "load") onNavigate();
    if (isFocused) focusPage(url.hash);
  }

  function open(path: string): void {
    history.pushState(null, "", path);
    show("pushState", true);
  }

  function filter(search: string): void {
    history.replaceState(null, "", location.pathname + search);
    const pressed = new URLSearchParams(search).get("kind") ?? "all";
    show("replaceState", false);
    outlet.querySelector<HTMLElement>(`[data-filter="${pressed}"]`)?.focus();
  }

  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[data-link]") : null;
    if (!(link instanceof HTMLAnchorElement) || opensElsewhere(event)) return;
    event.preventDefault();
    open(link.pathname + link.search + link.hash);
  });
  addEventListener("popstate", () => show("popstate", true));
  byId("go-back", HTMLElement).addEventListener("click", () => history.back());
  byId("go-forward", HTMLElement).addEventListener("click", () => history.forward());

  return { start: () => show("load", false) };
}

function opensElsewhere(event: MouseEvent): boolean {
  return event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0;
}

function markCurrentLink(path: string): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".shop__nav a")) {
    if (path === link.pathname || path.startsWith(`${link.pathname}/`)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Takes the focus to what has changed, so that a screen reader reads it and the next Tab starts there. */
function focusPage(hash: string): void {
  const target = (hash === "" ? null : document.getElementById(hash.slice(1))) ?? document.querySelector("#main h1");
  if (!(target instanceof HTMLElement)) return;
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: "nearest" });
}
