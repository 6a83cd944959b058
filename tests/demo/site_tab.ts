import { bundle } from "../../scripts/bundle.ts";
import { dispatch, override, type WindowScope, withWindow } from "../environment/window_scope.ts";

/** A tab of happy-dom with the demo's site. */
export interface SiteTab {
  /** Its global scope. */
  readonly scope: WindowScope;
  /** Clicks what the selector finds. */
  click(selector: string): void;
  /** Returns the text of what the selector finds; null where nothing is found, or it's hidden. */
  read(selector: string): string | null;
  /** Tells of a change that another tab made to the storage, and waits until the tab has followed it. */
  hearStorage(key: string | null): Promise<void>;
  /** Dispatches an event at the stream of the live feed. */
  tellFeed(type: "open" | "error" | "row", data?: unknown): void;
}

const SITE = new URL("../../scripts/demo/site/", import.meta.url);

/** Opens the site in a tab of its own, and closes that; `prepare` runs before its script. */
export async function withSite(
  use: (tab: SiteTab) => void | Promise<void>,
  prepare: (scope: WindowScope) => void = () => {},
): Promise<void> {
  const page = await Deno.readTextFile(new URL("index.html", SITE));
  const script = bundle({ entry: "scripts/demo/site/main.ts", format: "iife", minify: false });
  await withWindow("http://tidewater.example/", async (scope) => {
    const { document } = scope;
    const stream = new scope.EventTarget();
    function EventSource(): EventTarget {
      return stream;
    }
    override(scope, { EventSource, fetch: () => Promise.resolve(new Response("{}", { status: 202 })) });
    override(scope.console, { debug: () => {}, warn: () => {} });
    document.head.innerHTML = '<meta name="ingest-endpoint" content="https://ingest.example/v1/events">';
    document.body.innerHTML = /<body>(.*)<\/body>/s.exec(page)?.[1] ?? "";
    prepare(scope);
    // The site's globals are the window's here, not Deno's.
    new Function("scope", `with (scope) {${script}}`)(scope);

    const find = (selector: string): HTMLElement | null => document.querySelector<HTMLElement>(selector);
    await use({
      scope,
      click: (selector) => find(selector)?.click(),
      read: (selector) => find(selector)?.closest("[hidden]") === null ? find(selector)?.textContent ?? null : null,
      hearStorage(key) {
        dispatch(scope, { type: "storage", key });
        return new Promise((resolve) => scope.setTimeout(resolve, 10));
      },
      tellFeed: (type, data) => dispatch(scope, { type, target: stream, data: JSON.stringify(data) }),
    });
  });
}
