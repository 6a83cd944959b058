import type { InitConfig } from "../../mod.ts";
import { type PageParts, script } from "../browser/html.ts";
import { type SiteServer, startSite } from "../browser/site_server.ts";
import type { Engine, Tab, Visitor } from "./engines/engine.ts";
import type { Form } from "./form.ts";
import { type Injector, KEY, startInjector } from "./injector.ts";
import type { Ledger } from "./ledger.ts";
import { createOpenPages } from "./open_pages.ts";
import { buildPageScript, type PageOptions } from "./page_script.ts";
import { pause, poll } from "./pauses.ts";
import { createRandom, type Random } from "./random.ts";

/** Settings of {@linkcode Stage.serve}. */
export interface ServeOptions {
  /** What the page passes to `Vendor.init()`; by default events leave after 200 ms. */
  readonly config?: Partial<InitConfig>;
  /** What is wrong with the page. */
  readonly page?: Partial<PageOptions>;
  /** More of the page. */
  readonly parts?: PageParts;
  /** Headers of the page. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a scenario works with. */
export interface Stage {
  /** How the suite runs. */
  readonly form: Form;
  /** Random numbers of the scenario. */
  readonly random: Random;
  /** The ingest behind faults. */
  readonly injector: Injector;
  /** The site that uses the SDK; `/` is a page with it, `/plain` one without. */
  readonly site: SiteServer;
  /** Another site; `/` is a page without the SDK. */
  readonly otherSite: SiteServer;
  /** The visitor. */
  readonly visitor: Visitor;
  /** Starts over with a visitor that has neither storage nor caches. */
  replaceVisitor(): Promise<void>;
  /** Serves a page of the site with the SDK. */
  serve(path: string, options?: ServeOptions): void;
  /** Opens a tab with a page of the site. */
  open(path?: string): Promise<Tab>;
  /**
   * Opens a page of a later visit, when the lease of a page that crashed has run out: the long form waits for that, in
   * CI the visitor's clock is ahead. A page that goes otherwise ends its lease itself.
   */
  openLater(): Promise<Tab>;
  /** Opens the port again after a page has gone, once the last request of that page was refused. */
  backAfterExit(): Promise<void>;
  /** Calls `Vendor.step()` so many times in one task, each with another name; returns the names. */
  track(tab: Tab, amount: number, properties?: object): Promise<readonly string[]>;
  /** Invents names of events that the scenario calls itself. */
  nameEvents(amount: number): readonly string[];
  /** Returns the SDK's keys on the device. */
  readKeys(tab: Tab): Promise<readonly string[]>;
  /** Lets events be lost, for a reason that the row names. */
  excuse(names: readonly string[], reason: string): void;
  /** Says that events must not arrive. */
  forbid(names: readonly string[]): void;
  /** Adds to the row. */
  note(text: string): void;
  /** Waits until everything that may arrive has; returns whether it did. */
  untilStored(limitMs: number): Promise<boolean>;
  /** Closes every tab that has a page with the SDK. */
  closeAll(): Promise<void>;
  /** Returns how many pages with the SDK were open at once, at most. */
  mostPages(): number;
  /** Counts so far. */
  ledger(): Ledger;
  /** Ends everything. */
  close(): Promise<void>;
}

/** How much later a later visit is, in milliseconds: longer than the lease of a page that lives. */
const LATER_MS = 40_000;

/**
 * How long a browser may go on with a request of a page that has gone, in milliseconds. On a busy machine Firefox
 * connected 70 ms after its renderer was killed.
 */
const LAST_REQUEST_MS = 1000;

/** How much of what is random in a wait CI uses. */
const SHORT_JITTER = 0.15;

/** Sets the stage of a scenario. */
export async function setStage(engine: Engine, form: Form, notes: string[]): Promise<Stage> {
  const made: string[] = [];
  const excused = new Set<string>();
  const forbidden = new Set<string>();
  const seen = new Set<string>();
  const site = startSite("127.0.0.1");
  const otherSite = startSite("localhost");
  const injector = await startInjector();
  const pages = createOpenPages((url) => url.startsWith(`${site.origin}/`) && url !== `${site.origin}/plain`);
  let visitor = await engine.newVisitor();

  site.handle("/seen", async (request) => {
    seen.add(await request.text());
    return new Response();
  });
  site.serve("/plain", { scripts: [] });
  otherSite.serve("/", { scripts: [] });
  const stage: Stage = {
    form,
    random: createRandom(form.seed),
    injector,
    site,
    otherSite,
    get visitor() {
      return visitor;
    },
    async replaceVisitor() {
      await pages.closeAll();
      await visitor.close();
      visitor = await engine.newVisitor();
    },
    serve(path, { config, page, parts, headers } = {}) {
      const input: InitConfig = {
        apiKey: KEY,
        endpoint: injector.endpoint,
        flushInterval: 200,
        debug: Deno.env.has("FAULT_DEBUG"),
        ...config,
      };
      const { before = "", after = "" } = parts ?? {};
      site.serve(path, {
        ...parts,
        before: before + buildPageScript({ jitter: form.isShort ? SHORT_JITTER : 1, ...page }),
        after: script((config) => Vendor.init(config), input) + after,
      }, headers);
    },
    async open(path = "/") {
      const url = site.origin + path;
      return pages.follow(await visitor.open(url), url);
    },
    openLater() {
      if (form.isShort) stage.serve("/", { page: { clockOffsetMs: LATER_MS } });
      return stage.open();
    },
    async backAfterExit() {
      await pause(LAST_REQUEST_MS);
      await injector.back();
    },
    nameEvents(amount) {
      const names = Array.from({ length: amount }, (_, index) => `event ${made.length + index}`);
      made.push(...names);
      return names;
    },
    async track(tab, amount, properties = {}) {
      const names = stage.nameEvents(amount);
      await tab.evaluate(
        script(
          (names: readonly string[], properties: object) => {
            for (const name of names) Vendor.step(name, properties);
          },
          names,
          properties,
        ),
      );
      return names;
    },
    readKeys: (tab) =>
      tab.evaluate(script(() => Object.keys(localStorage).filter((key) => key.startsWith("vendor.sdk.")))),
    excuse(names, reason) {
      for (const name of names) excused.add(name);
      notes.push(reason);
    },
    forbid(names) {
      for (const name of names) forbidden.add(name);
    },
    note: (text) => void notes.push(text),
    untilStored(limitMs) {
      return poll(() => {
        const stored = new Set(injector.stored.map(({ name }) => name));
        return made.every((name) => stored.has(name) || excused.has(name) || forbidden.has(name));
      }, limitMs);
    },
    closeAll: pages.closeAll,
    mostPages: pages.most,
    ledger: () => ({ made, excused, forbidden, stored: injector.stored, attempts: injector.attempts, seen }),
    async close() {
      await visitor.close();
      await Promise.all([site.close(), otherSite.close(), injector.close()]);
    },
  };
  stage.serve("/");
  return stage;
}
