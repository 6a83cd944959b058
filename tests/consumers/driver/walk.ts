import type { Page } from "playwright-core";

/** An event that a step of the walk has to give. */
export interface ExpectedView {
  /** Its name; that of a pageview by default. */
  readonly name?: string;
  /** Whether it is about a visitor. */
  readonly collection: "full" | "aggregate";
  /** URL; `mail:` stands for the site that the visitor comes from. */
  readonly url: string;
  /** Title; aggregates have none. */
  readonly title?: string;
  /** Referrer, likewise; none where the event has none. */
  readonly referrer?: string;
}

/** A step of the walk. */
export interface Step {
  /** What the visitor does. */
  readonly does: string;
  /** Does it. */
  readonly act: (page: Page) => Promise<unknown>;
  /** Path, query and fragment that the visitor arrives at. */
  readonly url: string;
  /** First heading of the page that the visitor arrives at. */
  readonly heading: string;
  /** Whether the visitor grants consent. */
  readonly isConsent?: boolean;
  /** What `trackPageviews: true` gives with consent from the start; none for a step that isn't made then. */
  readonly granted?: ExpectedView;
  /** What `trackPageviews: "auto"` gives; none for a step that counts nothing. */
  readonly auto?: ExpectedView;
}

/** Where the visitor comes from. */
export const MAIL_PATH = "/mail?id=1";

const full = (title: string, url: string, referrer: string): ExpectedView => ({
  collection: "full",
  url,
  title,
  referrer,
});
const aggregate = (url: string, referrer: string): ExpectedView => ({ collection: "aggregate", url, referrer });
const link = (name: string) => (page: Page) => page.getByRole("link", { name, exact: true }).click();

/** The walk through a fixture, the same for all of them, and the pageviews that it has to give. */
export const WALK: readonly [Step, ...Step[]] = [
  {
    does: "comes from a mail",
    act: link("Tea shop"),
    url: "/?utm_source=mail",
    heading: "Home",
    granted: full("Home", "/?utm_source=mail", `mail:${MAIL_PATH}`),
    auto: aggregate("/", "mail:"),
  },
  {
    does: "follows a link with a query",
    act: link("Teas"),
    url: "/teas?sort=price",
    heading: "Teas",
    granted: full("Teas", "/teas?sort=price", "/?utm_source=mail"),
    auto: aggregate("/teas", "site:"),
  },
  {
    does: "changes the query alone",
    act: link("By name"),
    url: "/teas?sort=name",
    heading: "Teas",
    granted: full("Teas", "/teas?sort=name", "/teas?sort=price"),
  },
  {
    does: "changes the fragment alone",
    act: link("Green"),
    url: "/teas?sort=name#green",
    heading: "Teas",
    granted: full("Teas", "/teas?sort=name#green", "/teas?sort=name"),
  },
  {
    does: "follows a link to a page made from its data",
    act: link("Sencha"),
    url: "/teas/sencha",
    heading: "Sencha",
    granted: full("Sencha", "/teas/sencha", "/teas?sort=name#green"),
    auto: aggregate("/teas/sencha", "site:"),
  },
  {
    does: "accepts, if asked",
    isConsent: true,
    act: (page) => page.getByRole("button", { name: "Accept" }).click(),
    url: "/teas/sencha",
    heading: "Sencha",
    auto: { ...full("Sencha", "/teas/sencha", "/teas"), name: "$consent" },
  },
  {
    does: "follows a third link",
    act: link("About"),
    url: "/about",
    heading: "About",
    granted: full("About", "/about", "/teas/sencha"),
    auto: full("About", "/about", "/teas/sencha"),
  },
  {
    does: "goes back",
    act: (page) => page.evaluate(() => history.back()),
    url: "/teas/sencha",
    heading: "Sencha",
    granted: full("Sencha", "/teas/sencha", "/about"),
    auto: full("Sencha", "/teas/sencha", "/about"),
  },
  {
    does: "follows a link that redirects",
    act: link("Old brewing"),
    url: "/brewing",
    heading: "Brewing",
    granted: full("Brewing", "/brewing", "/teas/sencha"),
    auto: full("Brewing", "/brewing", "/teas/sencha"),
  },
  {
    does: "follows a link within the page",
    act: link("Water"),
    url: "/brewing#water",
    heading: "Brewing",
    granted: full("Brewing", "/brewing#water", "/brewing"),
    auto: full("Brewing", "/brewing#water", "/brewing"),
  },
  {
    does: "reloads",
    act: (page) => page.reload(),
    url: "/brewing#water",
    heading: "Brewing",
    granted: full("Brewing", "/brewing#water", "mail:/"),
    auto: full("Brewing", "/brewing#water", "mail:/"),
  },
];
