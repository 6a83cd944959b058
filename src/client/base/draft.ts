/** An event's context (SPEC 2.5) before it's checked: a page may have put something else in place of its title. */
export interface DraftContext {
  /** URL of the page. */
  pageUrl: string;
  /** Referrer of the page; empty when unknown. */
  readonly referrer: string;
  /** Title of the page. */
  pageTitle?: unknown;
  /** Width of the screen in CSS pixels. */
  readonly screenWidth?: unknown;
  /** Height of the screen in CSS pixels. */
  readonly screenHeight?: unknown;
}

/** Name of a pageview, full or aggregate (SPEC 6). */
export const PAGEVIEW_NAME = "$pageview";

/** An unfinished event: all of its call or navigation that can change later. */
export interface Draft {
  /** Name of the event. */
  readonly name: string;
  /** Properties as JSON text. A pageview that the application records by hand while it awaits its title gets them then. */
  properties?: string | undefined;
  /** Time in milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /**
   * The page as it describes itself. That of a pageview changes while it awaits its title or a redirect. What hears that the
   * draft was recorded may put another page in its place.
   */
  context: DraftContext;
  /** Members of the user's identity as JSON text, without braces; absent from an aggregate. */
  user?: string;
  /** JSON text of the event that was made of it and queued; empty where a rule of the application dropped it. */
  text?: string;
}

/** An event (SPEC 2.6, 2.8). */
export interface FinishedEvent {
  /** JSON text. It begins with the ID. Empty where the page has replaced what it's made with: then no rule sees it. */
  readonly text: string;
  /** Whether it's an aggregate pageview. */
  readonly isAggregate: boolean;
  /** Draft that it was made of. */
  readonly draft: Draft;
}
