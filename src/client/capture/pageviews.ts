import type { Capture } from "./capture.ts";
import type { ResolvedConfig } from "../config.ts";
import type { Consent } from "../consent.ts";
import { type Draft, PAGEVIEW_NAME } from "../base/draft.ts";
import type { NavigationKind, PageEnvironment } from "../platform/environment.ts";
import { REDIRECT_MS } from "../base/limits.ts";
import type { Queue } from "../delivery/queue.ts";
import type { Config } from "../base/types.ts";
import { pathOf } from "../base/url.ts";
import type { Visitor } from "./visitor.ts";

/** Which navigations count, once each. */
export interface Pageviews {
  /** Forgets the page: it wasn't recorded yet. */
  forget(): void;
  /** Returns the draft of a full event on the current page, as of now. */
  draft(name: string, properties?: string): Draft;
  /** Takes a change of the URL. */
  navigate(kind: NavigationKind): void;
  /** Returns whether the last navigation may still turn out to be a redirect's first half. */
  awaitsRedirect(): boolean;
  /** Records a full pageview by hand, with properties as JSON text. */
  page(properties?: string): void;
  /** Records the current page if it wasn't yet, as far as consent allows now. */
  record(): void;
  /** Takes the aggregate of the current page back, if it can be, so that the page is recorded in full. */
  upgrade(): void;
  /** Forgets queries and fragments. */
  restrict(): void;
}

/** Parts that pageviews are made with. */
export interface PageviewsParts {
  /** The configuration in force. */
  readonly config: ResolvedConfig;
  /** Which consent is in force. */
  readonly consent: Consent;
  /** Whom they belong to. */
  readonly visitor: Visitor;
  /** Takes the drafts. */
  readonly capture: Capture;
  /** Has the aggregates that were finished. */
  readonly queue: Queue;
}

/** The page that the visitor looks at. Without granted consent its URLs are origin and path only. */
interface View {
  /** URL as last seen. */
  url: string;
  /** URL as recorded; empty while the page isn't. */
  recordedUrl: string;
  /** URL of the pageview recorded before this one; empty for the first. */
  previousUrl: string;
  /** Pageview that was recorded of it automatically. */
  draft?: Draft | undefined;
}

/** Creates the account of pageviews. */
export const createPageviews: (parts: PageviewsParts, page: PageEnvironment) => Pageviews = ((parts, page) => {
  let view = createView();
  /** The view before the last navigation. */
  let before = view;
  /** Until when a `replaceState` is a redirect, by `elapsed()`. */
  let redirectEndsMs = 0;

  const mode = (): Config["trackPageviews"] => parts.config.trackPageviews;
  const currentUrl = (): string => parts.consent.is("granted") ? page.url() : page.path();
  const advance = (url: string): void => {
    view = createView(url, view.recordedUrl || view.previousUrl);
  };
  /** Takes the URL as it is: the page may have changed while nobody listened. */
  const look = (url: string): void => {
    if (pathOf(url) !== pathOf(view.url)) advance(url);
    view.url = url;
  };
  const referrer = (): string => view.previousUrl || page.referrer();
  const begin: (isPush: boolean) => void = ((isPush) => {
    redirectEndsMs = isPush ? page.elapsed() + REDIRECT_MS : 0;
    const isFull = parts.consent.is("granted");
    if (!isFull && !(mode() === "auto" && parts.consent.is("pending"))) return;
    const pageUrl = view.recordedUrl = view.url;
    view.draft = isFull ? pageviews.draft(PAGEVIEW_NAME) : {
      name: PAGEVIEW_NAME,
      timeMs: page.now(),
      // An opaque origin, as of android-app:, is none.
      context: { pageUrl, referrer: /^https?:\/\/[^/?#]+/.exec(referrer())?.[0] ?? "" },
    };
    parts.capture.add(view.draft, isPush || isFull);
  }) satisfies typeof begin;
  const pageviews: Pageviews = {
    forget() {
      view = createView();
    },
    draft: (name, properties) => ({
      name,
      properties,
      timeMs: page.now(),
      user: parts.visitor.user(),
      context: { pageUrl: page.url(), referrer: referrer(), pageTitle: page.title(), ...page.screen() },
    }),
    navigate(kind) {
      const url = currentUrl();
      if (url === view.url) return;
      if (kind === "replace" && pageviews.awaitsRedirect() && parts.capture.redirect(url)) {
        // Nobody viewed the page between.
        if (url !== before.url) view.url = view.recordedUrl = url;
        else if (parts.capture.withdraw(view.draft)) view = before;
        return;
      }
      parts.capture.settle();
      before = view;
      advance(url);
      begin(kind === "push");
    },
    awaitsRedirect: () => page.elapsed() < redirectEndsMs,
    page(properties) {
      const url = page.url();
      const settled = parts.capture.settle();
      if (settled?.context.pageUrl === url) {
        settled.properties = properties;
        return;
      }
      advance(url);
      view.recordedUrl = url;
      parts.capture.add(pageviews.draft(PAGEVIEW_NAME, properties));
    },
    record() {
      look(currentUrl());
      if (mode() && !view.recordedUrl) begin(false);
    },
    upgrade() {
      const { draft } = view;
      if (!mode() || !draft || draft.user) return;
      if (draft.text === "" || parts.capture.withdraw(draft, () => parts.queue.withdraw(draft.text))) {
        view.recordedUrl = "";
      }
    },
    restrict() {
      look(page.path());
      const { url, recordedUrl, previousUrl } = view;
      before = view = { url, recordedUrl: pathOf(recordedUrl), previousUrl: pathOf(previousUrl) };
    },
  };
  return pageviews;
}) satisfies typeof createPageviews;

function createView(url = "", previousUrl = ""): View {
  return { url, recordedUrl: "", previousUrl };
}
