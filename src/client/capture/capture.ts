import { attempt } from "../base/attempt.ts";
import type { Draft, FinishedEvent } from "../base/draft.ts";
import { MAX_CONTEXT_FIELD_LENGTH, MAX_QUEUE_EVENTS } from "../base/limits.ts";
import { pathOf } from "../base/url.ts";
import { SDK_NAME, SDK_VERSION } from "../base/version.ts";
import type { Tell } from "../hooks.ts";
import type { PageEnvironment } from "../platform/environment.ts";
import { toIsoTimestamp } from "../platform/time.ts";
import type { Visitor } from "./visitor.ts";

/** The drafts of the page, oldest first, and how they become events. */
export interface Capture {
  /** Takes a draft. One that `isOpen` awaits its title or a redirect: it and what comes after it wait until it's settled. */
  add(draft: Draft, isOpen?: boolean): void;
  /** Gives the open pageview another URL: it awaits its title anew. Returns whether there is one. */
  redirect(url: string): boolean;
  /** Ends the wait of the open pageview; a full one gets the title that the page has now. Returns it. */
  settle(): Draft | undefined;
  /** Takes a draft back, or what was made of it, as far as `recall` can. Returns whether it could be. */
  withdraw(draft: Draft | undefined, recall?: () => boolean): boolean;
  /** Leaves all drafts to the user as of now: who made them signed out before the page was shown. */
  disown(): void;
  /** Returns how many drafts wait. */
  size(): number;
  /** Makes events of at most so many drafts before the open pageview. Uses storage, under granted consent alone. */
  finish(most: number): readonly FinishedEvent[];
  /** Forgets all drafts, unread. */
  forget(): void;
}

/** Parts that capture works with. */
export interface CaptureParts {
  /** Whom events belong to. */
  readonly visitor: Visitor;
  /** Hears of what happens to drafts. */
  readonly tell: Tell;
  /** Hears of each draft; `isOpen` says that it isn't ready. */
  readonly onDraft: (isOpen: boolean) => void;
}

/** Creates the capture of a page's events. */
export const createCapture: (parts: CaptureParts, page: PageEnvironment) => Capture = ((parts, page) => {
  let drafts: Draft[] = [];
  let opened: Draft | undefined;

  const write = ({ name, properties, timeMs, context, user }: Draft): string => {
    return `{"id":"${page.randomId()}","name":${JSON.stringify(name)},"timestamp":"${toIsoTimestamp(timeMs)}"${
      properties ? `,"properties":${properties}` : ""
    }${user ? parts.visitor.touch(timeMs, user) : ""},"context":${
      JSON.stringify({ sdkName: SDK_NAME, sdkVersion: SDK_VERSION, ...context }, fit)
    }}`;
  };
  return {
    add: ((draft, isOpen = false) => {
      if (isOpen) opened = draft;
      if (drafts.push(draft) > MAX_QUEUE_EVENTS) {
        parts.tell({ type: "dropped", reason: "queue_full", amount: 1, draft: drafts.shift() });
      }
      parts.tell({ type: "recorded", draft });
      parts.onDraft(isOpen);
    }) satisfies Capture["add"],
    redirect(url) {
      if (!opened) return false;
      opened.context.pageUrl = url;
      parts.onDraft(true);
      return true;
    },
    settle() {
      const settled = opened;
      if (settled?.user) settled.context.pageTitle = page.title();
      opened = undefined;
      return settled;
    },
    withdraw(draft, recall) {
      if (!draft || !(drafts.includes(draft) || recall?.())) return false;
      if (draft === opened) opened = undefined;
      drafts = drafts.filter((each) => each !== draft);
      parts.tell({ type: "withdrawn", draft });
      return true;
    },
    disown() {
      for (const draft of drafts) if (draft.user) draft.user = parts.visitor.user();
    },
    size: () => drafts.length,
    finish: (most) =>
      drafts.splice(0, Math.min(most, opened ? drafts.indexOf(opened) : most)).map((draft) => ({
        draft,
        isAggregate: !draft.user,
        text: attempt(() => write(draft)) ?? "",
      })),
    forget() {
      parts.tell({ type: "dropped", reason: "consent", amount: drafts.length });
      drafts = [];
      opened = undefined;
    },
  };
}) satisfies typeof createCapture;

/** Returns a member of a context as it can stay, so that none costs an event: of a URL that is too long, origin and path. */
function fit(key: string, value: unknown): unknown {
  if (typeof value !== "string") return !key || Number.isFinite(value) ? value : undefined;
  if (value.length <= MAX_CONTEXT_FIELD_LENGTH) return value || undefined;
  // A title has no shorter form, and what is cut once gets no other.
  return key === "pageTitle" ? undefined : fit("pageTitle", pathOf(value));
}
