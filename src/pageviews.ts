import type { Capture, Moment } from "./capture.ts";
import type { NavigationKind, PageEnvironment } from "./environment/environment.ts";
import { createTimer } from "./timer.ts";
import type { Config, ConsentState } from "./types.ts";
import type { Visitor } from "./visitor.ts";

/** Name of a pageview, full or aggregate (CONTRACT 15). */
export const PAGEVIEW_NAME = "$pageview";

/** The page that the visitor looks at. Without granted consent its URLs are origin and path only. */
export interface View {
  /** URL as last seen. */
  readonly url: string;
  /** URL as recorded; absent while the view isn't. */
  readonly recordedUrl?: string | undefined;
  /** URL of the pageview recorded before this one; absent for the first. */
  readonly previousUrl?: string | undefined;
}

/** When and where a call was made. */
export interface Call {
  /** Time in milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** URL of the page. */
  readonly url: string;
}

/** Which navigations count, once each (CONTRACT 15-19). */
export interface Pageviews {
  /** Starts over with a loaded page. */
  load(): void;
  /** Takes a change of the URL. */
  navigated(kind: NavigationKind): void;
  /** Records a full pageview by hand. */
  page(call: Call): void;
  /** Finishes the pageview that awaits its title. */
  settle(): void;
  /** Fixes a full event to a call on the current view. */
  fix(call: Call): Moment;
  /** Records the current view if it wasn't yet, as far as consent allows now. */
  record(): void;
  /** Takes back an aggregate of the current view that was never sent, so that it's recorded in full. */
  upgrade(): void;
  /** Forgets the pageview that awaits its title, and query, fragment and referrer paths. */
  restrict(): void;
  /** Returns the view for a successor on the same page. */
  view(): View;
}

/** What pageviews are made with. */
export interface PageviewsOptions {
  /** Configured mode. */
  readonly mode: Config["trackPageviews"];
  /** Whether a consent state is in force. */
  readonly is: (state: ConsentState) => boolean;
  /** Who they belong to. */
  readonly visitor: Visitor;
  /** Makes the events. */
  readonly capture: Capture;
  /** Takes the finished events. */
  readonly emit: (event: string, isAggregate: boolean) => void;
  /** Takes an aggregate back that was never sent; returns whether it could. */
  readonly withdraw: (event: string) => boolean;
  /** View of the client before this one on the same page. */
  readonly view?: View | undefined;
}

interface OpenPageview extends Moment {
  /** How the visitor came here; absent for a load. */
  readonly kind?: NavigationKind | undefined;
  /** The view before. */
  readonly before: View;
}

/** Creates the account of pageviews. */
export function createPageviews(environment: PageEnvironment, options: PageviewsOptions): Pageviews {
  const { mode, is, visitor, capture, emit, withdraw } = options;
  let view: View = options.view ?? { url: "" };
  let open: OpenPageview | undefined;
  /** Text of the current view's aggregate pageview. */
  let aggregate: string | undefined;

  const currentUrl = (): string => is("granted") ? environment.url() : environment.path();
  const referrer = (): string => view.previousUrl ?? environment.referrer();
  const advance = (url: string): void => {
    view = { url, previousUrl: view.recordedUrl ?? view.previousUrl };
  };
  const fix = ({ timeMs, url }: Call, isFull: boolean): Moment => ({
    id: environment.randomId(),
    timeMs,
    url,
    referrer: isFull ? referrer() : originOf(referrer()),
    owner: isFull ? visitor.touch(timeMs) : "",
  });
  const begin = (before: View, timeMs: number, kind?: NavigationKind): void => {
    const { url } = view;
    aggregate = undefined;
    if (!is("granted") && !(mode === "auto" && is("pending"))) return;
    open = { ...fix({ timeMs, url }, is("granted")), before, kind };
    view = { ...view, recordedUrl: url };
    timer.arm(0);
  };
  const discard = (): void => {
    open = undefined;
    timer.cancel();
  };
  const pageviews: Pageviews = {
    load() {
      pageviews.settle();
      view = { url: "" };
      pageviews.record();
    },
    navigated(kind) {
      const url = currentUrl();
      if (kind === "replace" && open?.kind === "push") {
        // A router's redirect, in the same task as its push: nobody viewed the page between.
        const { before } = open;
        view = { ...view, url, recordedUrl: url };
        open = { ...open, url };
        if (url !== before.url) return;
        view = before;
        return discard();
      }
      if (kind === "push" || url !== view.url) pageviews.settle();
      if (url === view.url) return;
      const before = view;
      advance(url);
      begin(before, environment.now(), kind);
    },
    page({ timeMs, url }) {
      if (!open) {
        advance(url);
        begin(view, timeMs);
      }
      pageviews.settle();
    },
    settle() {
      if (!open) return;
      const event = capture(open, PAGEVIEW_NAME);
      const isAggregate = !open.owner;
      discard();
      if (isAggregate) aggregate = event;
      emit(event, isAggregate);
    },
    fix: (call) => fix(call, true),
    record() {
      view = { ...view, url: currentUrl() };
      if (mode && !view.recordedUrl) begin(view, environment.now());
    },
    upgrade() {
      if (!open && !(aggregate && withdraw(aggregate))) return;
      discard();
      view = { ...view, recordedUrl: undefined };
    },
    restrict() {
      discard();
      const { url, recordedUrl, previousUrl } = view;
      view = { url: pathOf(url), recordedUrl: pathOf(recordedUrl), previousUrl: pathOf(previousUrl) };
    },
    view: () => view,
  };
  const timer = createTimer(environment, pageviews.settle);
  return pageviews;
}

function pathOf<T extends string | undefined>(url: T): T {
  return url?.replace(/[?#].*/s, "") as T;
}

/** Returns the origin of a referrer; empty when there is none, or an opaque one as of `android-app:` (HTML, Origin). */
function originOf(url: string): string {
  return /^https?:\/\/[^/?#]+/.exec(url)?.[0] ?? "";
}
