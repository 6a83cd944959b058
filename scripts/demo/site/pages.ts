/**
 * The pages of the shop: from a URL to a title and what to show.
 *
 * @module
 */
import { el } from "./dom.ts";
import { KINDS, slugOf, type Tea, TEAS } from "./teas.ts";

/** A page ready to be shown. */
export interface View {
  /** Document title. */
  readonly title: string;
  /** Content; the first node is the heading. */
  readonly nodes: readonly HTMLElement[];
}

/** Functions of the application for pages. */
export interface PageActions {
  /** Shows the same path with other search parameters, by replaceState. */
  readonly filter: (search: string) => void;
  /** Puts a tea into the basket. */
  readonly addToBasket: (tea: Tea) => void;
}

/** Where a path leads that is only a signpost, as old campaign links are; null for real pages. */
export function redirectOf(url: URL): string | null {
  return url.pathname === "/sale" ? "/teas?kind=black" : null;
}

/** Builds the page of a URL. */
export function buildView(url: URL, actions: PageActions): View {
  const [section, slug] = url.pathname.split("/").filter((part) => part !== "");
  if (section === undefined) return home();
  if (section === "story" && slug === undefined) return story();
  if (section === "teas" && slug === undefined) return list(url.searchParams.get("kind"), actions);
  const tea = TEAS.find((candidate) => section === "teas" && slugOf(candidate) === slug);
  return tea === undefined ? notFound(url.pathname) : product(tea, actions);
}

function home(): View {
  return {
    title: "Tidewater Tea",
    nodes: [
      heading("Tea that came by sea, poured while it’s news"),
      lead(
        "Browse around. The inspector shows what the SDK makes of each step, the list what the ingest received of it.",
      ),
      teaList(TEAS.filter((_, index) => index % 2 === 0)),
    ],
  };
}

function list(kind: string | null, { filter }: PageActions): View {
  const shown = kind === null ? TEAS : TEAS.filter((tea) => tea.kind === kind);
  const chips = [null, ...KINDS].map((value) =>
    el("button", {
      class: value === kind ? "button" : "button button--quiet",
      text: value ?? "all",
      attributes: { type: "button", "aria-pressed": String(value === kind), "data-filter": value ?? "all" },
      onClick: () => filter(value === null ? "" : `?kind=${value}`),
    })
  );
  return {
    title: kind === null ? "All teas – Tidewater Tea" : `${capital(kind)} teas – Tidewater Tea`,
    nodes: [
      heading(kind === null ? "All teas" : `${capital(kind)} teas`),
      lead("The filter changes the query with replaceState: a full pageview, but none in the aggregate form."),
      el("div", { class: "row", attributes: { role: "group", "aria-label": "Kind of tea" }, children: chips }),
      teaList(shown),
    ],
  };
}

function product(tea: Tea, { addToBasket }: PageActions): View {
  const text = el("div", {
    children: [
      heading(tea.name),
      lead(`${capital(tea.kind)} tea. ${tea.note}`),
      el("div", {
        class: "row",
        children: [
          el("button", {
            class: "button",
            text: `Buy 50 g · €${tea.price.toFixed(2)}`,
            attributes: { type: "button" },
            onClick: () => addToBasket(tea),
          }),
        ],
      }),
    ],
  });
  return {
    title: `${tea.name} – Tidewater Tea`,
    nodes: [el("div", { class: "product", children: [text, cup(tea)] })],
  };
}

function story(): View {
  const harvest = el("a", { text: "Jump to the harvest", attributes: { href: "/story#harvest", "data-link": "" } });
  const nodes = [
    heading("A shop at the end of the pier"),
    lead("Two sisters, one kettle, and the last ferry at half past ten."),
    el("p", { children: [harvest] }),
    el("h2", { text: "The harvest", attributes: { id: "harvest", tabindex: "-1" } }),
    el("p", { text: "We buy in April and May, by the chest, and sell until the chest is empty." }),
    el("p", { text: "A link to a fragment counts as a full pageview, and as nothing in the aggregate form." }),
  ];
  return { title: "Our story – Tidewater Tea", nodes };
}

function notFound(path: string): View {
  return {
    title: "Not found – Tidewater Tea",
    nodes: [heading("No such shelf"), lead(`Nothing is at ${path}. It still counts as a page.`)],
  };
}

function heading(text: string): HTMLElement {
  return el("h1", { text, attributes: { tabindex: "-1" } });
}

function lead(text: string): HTMLElement {
  return el("p", { class: "lead", text });
}

function teaList(teas: readonly Tea[]): HTMLElement {
  return el("ul", { class: "teas", children: teas.map((tea) => el("li", { children: [teaCard(tea)] })) });
}

function teaCard(tea: Tea): HTMLElement {
  const name = el("b", { text: tea.name });
  const price = el("span", { text: `${tea.kind} · €${tea.price.toFixed(2)}` });
  const attributes = { href: `/teas/${slugOf(tea)}`, "data-link": "" };
  return el("a", { class: "tea", attributes, children: [cup(tea), name, price] });
}

function cup({ colour }: Tea): HTMLElement {
  const element = el("div", { class: "cup" });
  // A style attribute would break the site's policy; its object doesn't.
  element.style.setProperty("--tea", colour);
  return element;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
