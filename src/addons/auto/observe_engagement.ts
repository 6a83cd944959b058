import { attempt } from "../../client/base/attempt.ts";
import { SESSION_KEY } from "../../client/base/keys.ts";
import type { Batch } from "../../client/base/batch.ts";
import { type Draft, type FinishedEvent, PAGEVIEW_NAME } from "../../client/base/draft.ts";
import type { Change } from "../../client/hooks.ts";
import { SESSION_IDLE_MS, SESSION_MAX_MS } from "../../client/base/limits.ts";
import type { Inside } from "../../client/inside.ts";
import type { PageEnvironment } from "../../client/platform/environment.ts";
import { listen } from "../page/page.ts";
import { createEngagedClock } from "./engaged_clock.ts";
import type { Observer } from "./observer.ts";
import { createDepthMeter } from "./scroll_depth.ts";

/** Parts of a client that engagement works with. */
export type EngagedInside = Pick<Inside, "hooks" | "batches" | "finish"> & { readonly environment: PageEnvironment };

const NAME = "$engagement";
/** Less of it is no engagement, unless the page was scrolled to a new depth. */
const MIN_ENGAGED_MS = 1000;

/** Begin of a pageview's text. */
const PAGEVIEW = /^{"id":"([^"]+)","name":"\$pageview"/;
/** Visitor of an event. The user's traits stand before it. */
const VISITOR = /.*("anonymousId":"[^"]+")/s;

/** A full pageview: its text is there once it's an event, and empty where a rule of the application dropped it. */
type Pageview = Pick<Draft, "context" | "text">;

/** Returns the last full pageview of this URL that waits to be sent. Other pages may have left some of theirs. */
function findPageview(batches: readonly Batch[], url: string): Pageview | undefined {
  const waiting = batches.filter(({ isAggregate }) => !isAggregate).flatMap(({ events }) => events);
  return waiting.filter((text) => PAGEVIEW.test(text))
    .map((text) => ({ text, context: JSON.parse(text).context }))
    .filter(({ context }) => context.pageUrl === url).pop();
}

/** Returns whether the session has ended: an event would start another one. Another page may have kept it going. */
function isSessionOver(page: PageEnvironment, lastEventMs: number): boolean {
  const nowMs = page.now();
  const [, startedMs = nowMs, lastMs = 0] = `${page.storage.get(SESSION_KEY)}`.split(" ").map(Number);
  return nowMs - Math.max(lastEventMs, lastMs) >= SESSION_IDLE_MS || nowMs - startedMs >= SESSION_MAX_MS;
}

/** Returns an engagement with the ID of its pageview; none where somebody else is the visitor since. */
function attribute(event: FinishedEvent, { text = "" }: Pageview): FinishedEvent | undefined {
  const id = PAGEVIEW.exec(text)?.[1];
  if (!id) return event;
  if (!text.includes(VISITOR.exec(event.text)?.[1] ?? "")) return undefined;
  return { ...event, text: event.text.replace('"properties":{', `$&"pageviewId":"${id}",`) };
}

/** Creates what records how long a page was visible and focused, and how far it was scrolled. */
export function observeEngagement(inside: () => EngagedInside): Observer {
  return (record) => {
    const { hooks } = inside();
    const page = (): PageEnvironment => inside().environment; // another one may take its place
    /** Pageviews of engagement that isn't an event yet. */
    const pageviews = new WeakMap<Draft, Pageview>();
    /** The pageview of the page that the visitor looks at; undefined where none is known. */
    let pageview = findPageview(inside().batches(), page().url());
    let previous: Pageview | undefined;
    let lastEventMs = 0;

    const clock = createEngagedClock(page);
    const meter = createDepthMeter(page);
    const begin = (): void => {
      clock.reset();
      meter.begin();
    };
    const emit = (): void => {
      const engagedMs = clock.count();
      if (engagedMs < MIN_ENGAGED_MS && !meter.isDeeper()) return;
      const properties = { engagedMs: Math.round(engagedMs), scrollPercent: meter.record() };
      clock.reset();
      if (!isSessionOver(page(), lastEventMs)) record(NAME, properties);
    };
    const take = (draft: Draft): void => {
      if (!draft.user) return;
      if (draft.name === NAME && pageview) {
        pageviews.set(draft, pageview);
        draft.context = pageview.context; // the next page may be there already
      } else if (draft.name === PAGEVIEW_NAME) {
        emit();
        begin();
        previous = pageview;
        pageview = draft;
      }
      lastEventMs = draft.timeMs;
    };
    /** Takes a pageview for the one of this page that was recorded before anybody listened. */
    const adopt = ({ draft, isAggregate }: FinishedEvent): void => {
      if (pageview || isAggregate || draft.name !== PAGEVIEW_NAME) return;
      pageview = draft;
      lastEventMs ||= draft.timeMs;
    };
    const hear = (change: Change): void => {
      switch (change.type) {
        case "recorded":
          return take(change.draft);
        case "queued":
          return adopt(change.event);
        case "withdrawn": // a redirect led back
          if (change.draft === pageview) pageview = previous;
          return;
        case "dropped": // all there is, as the client moves: what was counted is of the account before
          if (change.reason !== "consent" || change.draft || change.batch) return;
          pageview = undefined;
          return begin();
        case "called": // what was counted is somebody else's
          if (change.method === "reset") begin();
      }
    };
    const complete = (event: FinishedEvent): FinishedEvent | undefined => {
      const its = pageviews.get(event.draft);
      return its ? attribute(event, its) : event;
    };
    const hide = (): void => {
      attempt(meter.measure);
      if (!pageview) inside().finish(); // one of before may still await its title
      emit();
      clock.stop();
    };
    const changed = ({ type }: Event): void => {
      attempt(() => type === "pagehide" || document.visibilityState === "hidden" ? hide() : clock.count());
      if (type === "blur") clock.countLater(0); // Firefox says a task later that the focus went into a frame of the page
    };
    const scrolled = (event: Event): void => {
      if (event.target === document) meter.scrolled(); // else a part of the page was scrolled
    };

    hooks.beforeSend.unshift(complete);
    hooks.on.push(hear);
    const scrolling = { capture: true, passive: true };
    document.addEventListener("scroll", scrolled, scrolling);
    document.addEventListener("visibilitychange", changed);
    const endWindow = listen(["focus", "blur", "pagehide", "pageshow"], changed);
    begin();
    return () => {
      hooks.beforeSend.splice(hooks.beforeSend.indexOf(complete), 1);
      hooks.on.splice(hooks.on.indexOf(hear), 1);
      document.removeEventListener("scroll", scrolled, scrolling);
      document.removeEventListener("visibilitychange", changed);
      endWindow();
      meter.stop();
      clock.stop();
    };
  };
}
