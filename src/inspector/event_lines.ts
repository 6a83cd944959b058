import type { Capture, Draft } from "../capture.ts";
import { toIsoTimestamp } from "../environment/time.ts";
import { NO_ANSWER, type TransportAnswer } from "../environment/environment.ts";
import type { Queue } from "../queue.ts";
import type { StepEvent } from "../types.ts";
import { describeAnswer } from "./answers.ts";
import type { Entries, EntryChange } from "./entries.ts";

/** Whom an event belongs to. */
export interface Owner {
  /** The `anonymousId`. */
  readonly visitor: string;
  /** The `sessionId`. */
  readonly session: string;
  /** The `userId`; null while nobody is signed in, undefined where the next event tells. */
  readonly user: string | null | undefined;
}

/** A request under way. */
export interface Flight {
  /** Takes the answer. */
  answered(answer: TransportAnswer): void;
  /** Takes the body of the answer, before it or after it. */
  explained(body: string): void;
  /** Takes the news that it was broken off. */
  aborted(): void;
  /** Returns whether it was answered. */
  isAnswered(): boolean;
}

/** The lines of events, from the draft to the answer. */
export interface EventLines {
  /** Takes a draft. */
  drafted(draft: Draft): void;
  /** Takes the news that a draft was taken back. */
  withdrawn(draft: Draft | undefined): void;
  /** Takes the name of a draft that redaction drops while events are made. */
  redacted(name: string): void;
  /** Takes the events that were made of drafts, as texts. */
  finished(texts: readonly string[]): void;
  /** Takes an event that is put into the queue. */
  appended(text: string): void;
  /** Takes the news that an event was taken out of the queue, and recorded otherwise. */
  takenBack(text: string): void;
  /** Takes events that are in the queue: an earlier page left them, or they came before the inspector. */
  adopted(texts: readonly string[]): void;
  /** Takes a request; undefined where its events are another client's in the same environment. */
  sent(body: string): Flight | undefined;
  /** Takes the news that events were dropped. */
  dropped(reason: string, amount: number): void;
  /** Looks, a moment later, what became of events that the client moved. */
  moved(): void;
  /** Returns how many events are in requests. */
  underWay(): number;
  /** Returns whom the newest event belongs to; undefined before the first, and after {@linkcode forgetOwner}. */
  owner(): Owner | undefined;
  /** Forgets them. */
  forgetOwner(): void;
  /** Sets who the user is from the next event on; undefined where that isn't known. */
  setUser(user: string | null | undefined): void;
}

/** What the lines are made with. */
export interface EventLinesOptions {
  /** The list. */
  readonly entries: Entries;
  /** The drafts of the client. */
  readonly capture: Pick<Capture, "size">;
  /** What waits. */
  readonly queue: Pick<Queue, "batches">;
  /** Returns the time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Does something a microtask later. */
  readonly soon: (task: () => void) => void;
}

/** What no event is made of yet; empty where it's older than the inspector. */
interface DraftLine {
  readonly draft?: Draft;
  readonly key?: number;
}

/** How an event was refused. */
const REFUSALS: readonly string[] = ["rejected", "too_large", "stopped"];

/** Creates the lines of events. */
export function createEventLines({ entries, capture, queue, now, soon }: EventLinesOptions): EventLines {
  /** Lines by the ID of their event. */
  const keys = new Map<string, number>();
  /** The drafts of the client, oldest first. */
  const drafts: DraftLine[] = Array.from({ length: capture.size() }, () => ({}));
  const redactedNames: string[] = [];
  /** Lines of the events that come into the queue next, by their text. */
  const ready = new Map<string, number>();
  /** The events of the requests under way. */
  const flights = new Set<readonly string[]>();
  /** The last answer to each event that isn't delivered. */
  const answers = new Map<string, string>();
  /** The events of the request that was answered last, while the client deals with that. */
  let answered: readonly string[] = [];
  let lastDrop = { reason: "", amount: 0 };
  let owner: Owner | undefined;
  let isDue = false;

  const change = (id: string, next: EntryChange): void => entries.change(keys.get(id) ?? 0, next);
  const track = (text: string, note = ""): void => {
    const { id, name }: StepEvent = JSON.parse(text);
    keys.set(id, entries.add({ timeMs: now(), name, state: "waiting", note, json: text }));
  };
  const takeBack = (key: number | undefined): void =>
    entries.change(key ?? 0, { state: "taken back", note: "the URL changed again at once, or it's counted in full" });
  /** What became of an event that the client has no more. */
  const explainLoss = (id: string): EntryChange => {
    const { reason, amount } = lastDrop;
    const answer = answered.includes(id) && answers.get(id);
    if (answer && REFUSALS.includes(reason)) return { state: "refused", note: answer };
    // What is saved isn't counted as dropped.
    if (reason && !amount) return { state: "stored", note: "a later visit with consent sends it" };
    return { state: "dropped", note: reason };
  };
  const reconcile = (): void => {
    isDue = false;
    const queued = new Set(queue.batches().flatMap(({ events }) => events.map(idOf)));
    const underWay = new Set([...flights].flat());
    for (const [id, key] of keys) {
      const entry = entries.get(key);
      const isOpen = entry?.state === "waiting" || entry?.state === "sent";
      if (!entry) keys.delete(id);
      if (!isOpen) answers.delete(id);
      if (!isOpen || underWay.has(id)) continue;
      if (!queued.has(id)) entries.change(key, explainLoss(id));
      else if (entry.state === "sent") entries.change(key, { state: "waiting", note: answers.get(id) ?? "" });
    }
    // The client has no more of them than this: it cleared them, or had no room.
    for (const { key } of drafts.splice(0, Math.max(0, drafts.length - capture.size()))) {
      entries.change(key ?? 0, { state: "dropped", note: lastDrop.reason });
    }
    lastDrop = { reason: "", amount: 0 };
    answered = [];
  };
  const createFlight = (ids: readonly string[]): Flight => {
    let status = "";
    let words = "";
    const describe = (): string => words ? `${status}: ${words}` : status;
    flights.add(ids);
    return {
      answered(answer) {
        const isDelivered = answer.status >= 200 && answer.status < 300;
        if (!flights.delete(ids) && !isDelivered) return; // the end of a request that was aborted
        status = describeStatus(answer.status);
        answered = ids;
        for (const id of ids) {
          if (isDelivered) change(id, { state: "delivered", note: describe() });
          else answers.set(id, describe());
        }
        lines.moved();
      },
      explained(body) {
        words = describeAnswer(body);
        for (const id of status ? ids : []) {
          if (answers.get(id) === status) answers.set(id, describe());
          if (entries.get(keys.get(id) ?? 0)?.note === status) change(id, { note: describe() });
        }
      },
      aborted() {
        if (!flights.delete(ids)) return;
        for (const id of ids) answers.set(id, describeStatus(NO_ANSWER));
        lines.moved();
      },
      isAnswered: () => status !== "",
    };
  };
  const lines: EventLines = {
    drafted(draft) {
      const { name, timeMs } = draft;
      drafts.push({ draft, key: entries.add({ timeMs, name, state: "recorded", note: "" }) });
    },
    withdrawn(draft) {
      const index = drafts.findIndex((line) => line.draft && line.draft === draft);
      if (index >= 0) takeBack(drafts.splice(index, 1)[0]?.key);
    },
    redacted: (name) => void redactedNames.push(name),
    finished(texts) {
      // In the order of the drafts. Redaction may have dropped some, and given others another name, but no other time.
      const events = [...texts];
      const names = redactedNames.splice(0);
      for (const { draft, key = 0 } of drafts.splice(0, drafts.length - capture.size())) {
        const [text] = events;
        const event: Partial<StepEvent> = text ? JSON.parse(text) : {};
        const isNamed = !!draft && draft.name === names[0];
        const isIt = !draft ||
          (event.timestamp === toIsoTimestamp(draft.timeMs) && !(isNamed && event.name !== names[0]));
        if (text && isIt) {
          events.shift();
          if (draft) ready.set(text, key);
        } else if (isNamed) {
          names.shift();
          entries.change(key, { state: "redacted" });
        } else entries.change(key, { state: "dropped", note: lastDrop.reason });
      }
    },
    appended(text) {
      const { id, sessionId = "", identity }: StepEvent = JSON.parse(text);
      if (identity) owner = { visitor: identity.anonymousId ?? "", session: sessionId, user: identity.userId };
      const key = ready.get(text);
      ready.delete(text);
      if (key === undefined) return track(text);
      keys.set(id, key);
      entries.change(key, { state: "waiting", json: text });
    },
    takenBack: (text) => takeBack(keys.get(idOf(text))),
    adopted(texts) {
      for (const text of texts) {
        if (!keys.has(idOf(text))) track(text, "from an earlier page, or from before the inspector");
      }
    },
    sent(body) {
      const ids = (JSON.parse(body).events as readonly StepEvent[]).map(({ id }) => id);
      if (!ids.some((id) => keys.has(id))) return;
      for (const id of ids) change(id, { state: "sent", note: answers.has(id) ? "once more" : "" });
      return createFlight(ids);
    },
    dropped(reason, amount) {
      lastDrop = { reason, amount };
      lines.moved();
    },
    moved() {
      if (isDue) return;
      isDue = true;
      soon(reconcile);
    },
    underWay: () => [...flights].flat().length,
    owner: () => owner,
    forgetOwner() {
      owner = undefined;
    },
    setUser(user) {
      owner &&= { ...owner, user };
    },
  };
  return lines;
}

/** Returns the ID of an event: its text begins with it. */
function idOf(text: string): string {
  return /^\{"id":"([^"]*)"/.exec(text)?.[1] ?? "";
}

function describeStatus(status: number): string {
  if (status > 0) return `${status}`;
  return status < 0 ? "the browser can't send this request" : "no answer";
}
