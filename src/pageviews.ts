import type { Capture, CapturedEvent, Moment } from "./capture.ts";
import type { NavigationKind, PageEnvironment } from "./environment/environment.ts";
import { createTimer } from "./environment/timer.ts";
import type { Config, ConsentState } from "./types.ts";
import type { Visitor } from "./visitor.ts";

/** Name of a pageview, full or aggregate. */
export const PAGEVIEW_NAME = "$pageview";

/** When and where a call was made. */
export interface Call {
  /** Time in milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** URL of the page. */
  readonly url: string;
}

/** Which navigations count, once each. */
export interface Pageviews {
  /**
   * Sets the mode; unless pageviews are still for the same account, the page wasn't recorded yet. An aggregate can be
   * taken back later only if consent `isPending` still.
   */
  configure(mode: Config["trackPageviews"], isSame: boolean, isPending: boolean): void;
  /** Starts over with a loaded page. */
  load(): void;
  /** Takes a change of the URL. */
  navigated(kind: NavigationKind): void;
  /** Records a full pageview by hand. */
  page(call: Call): void;
  /** Finishes the pageview that awaits its title. */
  settle(): void;
  /** Fixes a full event to a call on the current page. */
  fix(call: Call): Moment;
  /** Records the current page if it wasn't yet, as far as consent allows now. */
  record(): void;
  /** Takes back an aggregate of the current page that was never sent, so that it's recorded in full. */
  upgrade(): void;
  /** Forgets the pageview that awaits its title, and query, fragment and referrer paths. */
  restrict(): void;
}

/** What pageviews are made with. */
export interface PageviewsOptions {
  /** Whether a consent state is in force. */
  readonly is: (state: ConsentState) => boolean;
  /** Who they belong to. */
  readonly visitor: Visitor;
  /** Makes the events. */
  readonly capture: Capture["capture"];
  /** Takes the finished events. */
  readonly emit: (event: CapturedEvent, isAggregate: boolean) => void;
  /** Takes an aggregate back that was never sent; returns whether it could. */
  readonly withdraw: (event: string) => boolean;
}

/** The page that the visitor looks at. Without granted consent its URLs are origin and path only. */
interface View {
  /** URL as last seen. */
  url: string;
  /** URL as recorded; empty while the page isn't. */
  recordedUrl: string;
  /** URL of the pageview recorded before this one; empty for the first. */
  previousUrl: string;
  /** Own text of its aggregate pageview. */
  aggregate: string;
}

/** How long a title may take that is still that of the page before, one task after the navigation. */
const MAX_TITLE_WAIT_MS = 1_000;

/** A pageview that awaits its title. */
interface OpenView extends Moment {
  /** Before a push that may be a redirect, the view to return to. */
  before?: View | undefined;
  /** Title that isn't its own: of the page before a navigation, or none; undefined once it was awaited. */
  staleTitle?: unknown;
}

const UNSEEN: Readonly<View> = { url: "", recordedUrl: "", previousUrl: "", aggregate: "" };

/** Creates the account of pageviews. */
export function createPageviews(environment: PageEnvironment, options: PageviewsOptions): Pageviews {
  const { is, visitor, capture, emit, withdraw } = options;
  let mode: Config["trackPageviews"] = false;
  let view: View = { ...UNSEEN };
  let open: OpenView | undefined;

  const currentUrl = (): string => is("granted") ? environment.url() : environment.path();
  const advance = (url: string): void => {
    view = { url, recordedUrl: "", previousUrl: view.recordedUrl || view.previousUrl, aggregate: "" };
  };
  const begin = (timeMs: number, before?: View, staleTitle?: unknown): void => {
    const isFull = is("granted");
    const { url } = view;
    if (!isFull && (mode !== "auto" || !is("pending"))) return;
    open = { ...pageviews.fix({ timeMs, url }), before, staleTitle };
    view.recordedUrl = url;
    timer.arm(0);
  };
  const discard = (): void => {
    open = undefined;
    timer.cancel();
  };
  const pageviews: Pageviews = {
    configure(next, isSame, isPending) {
      mode = next;
      if (!next || !isPending) view.aggregate = "";
      if (!isSame) view = { ...UNSEEN };
    },
    load() {
      pageviews.settle();
      view = { ...UNSEEN };
      pageviews.record();
    },
    navigated(kind) {
      const url = currentUrl();
      if (kind === "replace" && open?.before) {
        // A router's redirect, in the same task as its push: nobody viewed the page between.
        view = open.before;
        discard();
        kind = "push";
      } else if (kind === "push" || url !== view.url) pageviews.settle();
      if (url === view.url) return;
      const before = view;
      advance(url);
      begin(environment.now(), kind === "push" ? before : undefined, is("granted") && environment.title());
    },
    page({ timeMs, url }) {
      if (open?.url !== url) pageviews.settle();
      const here = view;
      if (!open) {
        advance(url);
        begin(timeMs);
      }
      pageviews.settle();
      // A call that waited for the page to be shown may be of another URL, where nobody is now.
      if (url !== currentUrl()) view = { ...here, previousUrl: here.recordedUrl ? here.previousUrl : url };
    },
    settle() {
      if (!open) return;
      const moment = open;
      const isAggregate = !moment.owner;
      discard();
      const event = capture(moment, PAGEVIEW_NAME);
      if (isAggregate) view.aggregate = event.text;
      emit(event, isAggregate);
    },
    fix({ timeMs, url }) {
      const isFull = is("granted");
      const referrer = view.previousUrl || environment.referrer();
      return {
        id: environment.randomId(),
        timeMs,
        url,
        // An opaque origin, as of android-app:, is none.
        referrer: isFull ? referrer : /^https?:\/\/[^/]+/.exec(pathOf(`${referrer}`))?.[0] ?? "",
        owner: isFull ? visitor.touch(environment.now()) : "", // a call may have waited for the page to be shown
      };
    },
    record() {
      const url = currentUrl();
      // The page may have changed while nobody listened.
      if (pathOf(url) !== pathOf(view.url)) advance(url);
      view.url = url;
      // The parser may not have come to the title yet.
      if (mode && !view.recordedUrl) begin(environment.now(), undefined, "");
    },
    upgrade() {
      if (!open && !(view.aggregate && withdraw(view.aggregate))) return;
      discard();
      view.recordedUrl = "";
    },
    restrict() {
      discard();
      for (const key of Object.keys(view) as (keyof View)[]) view[key] = pathOf(view[key]);
    },
  };
  const timer = createTimer(environment, () => {
    // Routers set the title once they have the page's data, some time after they changed the URL; some take the old one
    // away before.
    if (open?.owner && (environment.title() || (open.staleTitle ?? null)) === open.staleTitle) {
      open.before = open.staleTitle = undefined;
      timer.arm(MAX_TITLE_WAIT_MS);
    } else pageviews.settle();
  });
  return pageviews;
}

/** Returns a URL without credentials, query and fragment. */
function pathOf(url: string): string {
  return url.replace(/[?#].*/s, "").replace(/^([^:]+:\/\/)[^/]*@/, "$1");
}
