import { attempt } from "../../client/base/attempt.ts";
import { SESSION_KEY } from "../../client/base/keys.ts";
import type { Batch } from "../../client/base/batch.ts";
import { type Draft, type FinishedEvent, PAGEVIEW_NAME } from "../../client/base/draft.ts";
import type { Change } from "../../client/hooks.ts";
import { SESSION_IDLE_MS } from "../../client/base/limits.ts";
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

/** The page is measured at most this often while it's scrolled, and so long after it was opened. */
const MEASURE_MS = 200;
const FIRST_MEASURE_MS = 1000;

/** A full pageview. */
interface Pageview {
  readonly id: string;
  readonly context: object;
  readonly identity: { readonly anonymousId: string };
}

/** Members of an event that engagement reads. */
interface SentEvent {
  readonly sessionId: string;
  readonly identity: Pageview["identity"];
  readonly properties: object;
}

/** A page that the visitor looks at. */
interface View {
  /** Its pageview; undefined where none is known. */
  draft?: Draft | undefined;
  /** The view before. */
  previous?: View | undefined;
  /** The part of its pageview that is needed once it's an event. */
  pageview?: Pageview | undefined;
  /** Milliseconds of engagement that weren't recorded yet. */
  engagedMs: number;
  /** Deepest point that was seen, in percent. */
  depth: number;
  /** Whether the visitor got there by scrolling. */
  isScrolled: boolean;
  /** Depth that was recorded. */
  recordedDepth: number;
  /** Whether a part of the page scrolls in place of it: how deep the visitor was isn't known then. */
  isShell: boolean;
}

/** Returns the last full pageview that waits to be sent. */
function findPageview(batches: readonly Batch[]): Pageview | undefined {
  const waiting = batches.filter(({ isAggregate }) => !isAggregate).flatMap(({ events }) => events);
  return waiting.map((text) => JSON.parse(text)).filter(({ name }) => name === PAGEVIEW_NAME).pop();
}

function createView(): View {
  return { engagedMs: 0, depth: 0, isScrolled: false, recordedDepth: 0, isShell: false };
}

/** Returns whether the session has ended. Another page may have kept it going, and written it to the device. */
function isSessionOver(page: PageEnvironment, lastEventMs: number): boolean {
  const lastMs = Math.max(lastEventMs, Number(page.storage.get(SESSION_KEY)?.split(" ")[2] ?? 0));
  return page.now() - lastMs >= SESSION_IDLE_MS;
}

/** Returns the text of an engagement with its pageview's ID and context; none if somebody else looks at it since a `reset()`. */
function attribute(sent: SentEvent, pageview?: Pageview): string | undefined {
  if (!pageview) return JSON.stringify(sent);
  const { id, context, identity } = pageview;
  if (identity.anonymousId !== sent.identity.anonymousId) return undefined;
  return JSON.stringify({ ...sent, properties: { ...sent.properties, pageviewId: id }, context });
}

/** Creates what records how long a page was visible and focused, and how far it was scrolled. */
export function observeEngagement(inside: () => EngagedInside): Observer {
  return (record) => {
    const { hooks } = inside();
    const page = (): PageEnvironment => inside().environment; // another one may take its place
    /** Which page an engagement is of. */
    const views = new WeakMap<Draft, View>();
    let view = createView();
    /** Time of the last event that was heard of. */
    let lastEventMs = 0;
    let lastSessionId = "";
    let recording: View | undefined;
    /** Whether an `init()` is under way: a page that is recorded in it may be one of another account. */
    let isStarting = false;

    const clock = createEngagedClock(page, (passedMs) => view.engagedMs += passedMs);
    const meter = createDepthMeter(page, ({ percent, isShell }) => {
      view.depth = Math.max(view.depth, percent);
      view.isShell ||= isShell;
    });
    const emit = (): void => {
      clock.count();
      const { engagedMs, depth, isScrolled, recordedDepth, isShell } = view;
      if (engagedMs < MIN_ENGAGED_MS && !(isScrolled && depth > recordedDepth)) return;
      Object.assign(view, { engagedMs: 0, recordedDepth: depth });
      if (isSessionOver(page(), lastEventMs)) return; // it would start a session that nobody began
      recording = view;
      record(NAME, { engagedMs: Math.round(engagedMs), ...!isShell && { scrollPercent: depth } });
      recording = undefined;
    };
    const turnTo = (next: View): void => {
      view = next;
      meter.cancel();
      meter.measureLater(FIRST_MEASURE_MS);
    };
    const hear = (change: Change): void => {
      if (change.type === "consent") isStarting = true;
      if (change.type === "called") {
        isStarting = false;
        if (change.method === "reset") {
          clock.count();
          Object.assign(view, createView()); // time and depth were somebody else's
        }
      }
      if (change.type === "withdrawn" && change.draft === view.draft && view.previous) {
        view.previous.engagedMs += view.engagedMs; // a redirect led back
        turnTo(view.previous);
      }
      if (change.type !== "recorded" || !change.draft.user) return;
      const { draft } = change;
      if (draft.name === NAME) {
        if (recording) views.set(draft, recording);
      } else if (draft.name === PAGEVIEW_NAME) {
        if (isStarting) clock.count();
        else emit();
        view.previous = undefined; // one is enough, and no chain keeps them all
        turnTo({ ...createView(), draft, previous: view });
        views.set(draft, view);
      }
      lastEventMs = draft.timeMs;
    };
    const takePageview = (draft: Draft, pageview: Pageview): void => {
      if (!view.draft && !views.has(draft)) { // recorded before anybody listened
        view.draft = draft;
        views.set(draft, view);
        lastEventMs = Math.max(lastEventMs, draft.timeMs);
      }
      const its = views.get(draft);
      if (its) its.pageview = pageview;
    };
    const complete = (event: FinishedEvent): FinishedEvent | undefined => {
      const { draft, isAggregate } = event;
      if (isAggregate) return event;
      const sent = JSON.parse(event.text);
      if (draft.name === PAGEVIEW_NAME) takePageview(draft, sent);
      if (draft.name !== NAME) {
        lastSessionId = sent.sessionId;
        return event;
      }
      // A session that is a day old ends whatever happens.
      if (lastSessionId && sent.sessionId !== lastSessionId) return undefined;
      const text = attribute(sent, views.get(draft)?.pageview);
      return text ? { ...event, text } : undefined;
    };
    const hide = (): void => {
      attempt(meter.measure);
      if (!lastEventMs) inside().finish(); // a pageview of before may still await its title
      emit();
      clock.stop();
    };
    const changed = ({ type }: Event): void => {
      attempt(() => type === "pagehide" || document.visibilityState === "hidden" ? hide() : clock.count());
      if (type === "blur") clock.countLater(0); // Firefox says a task later that the focus went into a frame of the page
    };
    const scrolled = (event: Event): void => {
      if (event.target !== document) return; // a part of the page was scrolled
      if (!view.isScrolled) meter.cancel(); // the first one would come too late
      view.isScrolled = true;
      meter.measureLater(MEASURE_MS);
    };

    view.pageview = findPageview(inside().batches());
    hooks.beforeSend.unshift(complete);
    hooks.on.push(hear);
    const scrolling = { capture: true, passive: true };
    document.addEventListener("scroll", scrolled, scrolling);
    document.addEventListener("visibilitychange", changed);
    const endWindow = listen(["focus", "blur", "pagehide", "pageshow"], changed);
    turnTo(view);
    clock.count();
    return () => {
      hooks.beforeSend.splice(hooks.beforeSend.indexOf(complete), 1);
      hooks.on.splice(hooks.on.indexOf(hear), 1);
      document.removeEventListener("scroll", scrolled, scrolling);
      document.removeEventListener("visibilitychange", changed);
      endWindow();
      meter.cancel();
      clock.stop();
    };
  };
}
