import type { Batch } from "../../client/base/batch.ts";
import type { Draft, FinishedEvent } from "../../client/base/draft.ts";
import type { TransportAnswer } from "../../client/platform/environment.ts";
import type { Change, DropReason } from "../../client/hooks.ts";
import type { Entries, Entry, EntryChange, EntryState } from "./entries.ts";

/** The lines of events, from the draft to the answer. */
export interface EventLines {
  /** Takes a change. */
  hear(change: Change): void;
  /** Takes what is in the queue now: nothing tells of batches that an earlier page left, or that go back into it. */
  find(queued: readonly Batch[]): void;
  /** Returns how many events are in requests. */
  underWay(): number;
}

/** An event. */
interface Line {
  /** Its entry. */
  readonly key: number;
  /** The answer to the last request that carried it, if its entry says what that was. */
  answer?: TransportAnswer | undefined;
}

/** States of what is under way: a denial ends it. */
export const OPEN_STATES: readonly EntryState[] = ["recorded", "waiting", "sent", "stored"];

/** Why the client drops what was just refused. */
const REFUSALS: readonly DropReason[] = ["rejected", "too_large", "stopped"];

/** Creates the lines of events. */
export function createEventLines(entries: Entries, now: () => number): EventLines {
  const drafts = new WeakMap<Draft, number>();
  /** Lines of what is under way, by the ID of the event. */
  const lines = new Map<string, Line>();
  /** The requests that aren't answered. */
  const flights = new Set<Batch>();
  /** The request that was answered last: what is refused is dropped right after it. */
  let answered: Batch | undefined;

  const add = (text: string, note: string): Line => {
    const { id, name } = JSON.parse(text);
    const line = { key: entries.add({ timeMs: now(), name, state: "waiting", note, json: text }) };
    lines.set(id, line);
    return line;
  };
  const lineOf = (text: string): Line =>
    lines.get(idOf(text)) ?? add(text, "from an earlier page, or from before the inspector");
  /** Returns the entry of a draft. Of one that was an event before anybody watched, its name and its time tell. */
  const keyOf = (draft: Draft): number | undefined => {
    const isIts = ({ name, json, state }: Entry): boolean =>
      name === draft.name && state === "waiting" && !!json && Date.parse(JSON.parse(json).timestamp) === draft.timeMs;
    return drafts.get(draft) ?? entries.list().find(isIts)?.key;
  };
  const change = (draft: Draft, next: EntryChange): void => entries.change(keyOf(draft) ?? 0, next);
  const queue = ({ draft, text }: FinishedEvent): void => {
    const key = drafts.get(draft);
    if (!key) return void add(text, "");
    lines.set(idOf(text), { key });
    entries.change(key, { state: "waiting", json: text });
  };
  const send = (batch: Batch): void => {
    flights.add(batch);
    for (const line of batch.events.map(lineOf)) {
      entries.change(line.key, { state: "sent", ...(line.answer && { note: "once more" }) });
      line.answer = undefined;
    }
  };
  const answer = (batch: Batch, answer: TransportAnswer): void => {
    flights.delete(batch);
    answered = batch;
    const isDelivered = answer.status >= 200 && answer.status < 300;
    const carried = batch.events.map(lineOf);
    for (const line of carried) {
      line.answer = answer;
      entries.change(line.key, { state: isDelivered ? "delivered" : "waiting", note: describeStatus(answer) });
    }
    if (isDelivered) batch.events.forEach(forget);
    answer.text?.then((text) => {
      const words = describeAnswer(text);
      for (const { key, answer: last } of words ? carried : []) {
        if (last === answer) entries.change(key, { note: `${entries.get(key)?.note}: ${words}` });
      }
    });
  };
  const drop = (batch: Batch, reason: DropReason, amount: number): void => {
    flights.delete(batch);
    const isRefused = batch === answered && REFUSALS.includes(reason);
    const saved = batch.events.length - amount; // the oldest of them
    batch.events.forEach((text, index) => {
      const line = lineOf(text);
      if (!isRefused) line.answer = undefined;
      if (index < saved) {
        return entries.change(line.key, { state: "stored", note: "a later visit with consent sends it" });
      }
      entries.change(line.key, isRefused ? { state: "refused" } : { state: "dropped", note: reason });
      forget(text);
    });
  };
  /** Ends all entries of these states. */
  const end = (states: readonly EntryState[]): void => {
    for (const { key, state } of entries.list()) {
      if (states.includes(state)) entries.change(key, { state: "dropped", note: "consent" });
    }
  };
  const forget = (text: string): void => void lines.delete(idOf(text));
  return {
    hear(heard) {
      switch (heard.type) {
        case "recorded": {
          const { name, timeMs } = heard.draft;
          drafts.set(heard.draft, entries.add({ timeMs, name, state: "recorded", note: "" }));
          break;
        }
        case "queued":
          return queue(heard.event);
        case "withdrawn":
          return change(heard.draft, { state: "taken back", note: "a redirect led back, or it's counted in full" });
        case "sent":
          return send(heard.batch);
        case "answered":
          return answer(heard.batch, heard.answer);
        case "dropped": {
          const { reason, amount, draft, batch } = heard;
          if (batch) drop(batch, reason, amount);
          else if (draft) change(draft, reason === "redacted" ? { state: reason } : { state: "dropped", note: reason });
          else if (reason === "consent") end(["recorded"]);
          break;
        }
        case "consent":
          if (heard.state !== "denied") break;
          end(OPEN_STATES);
          for (const line of lines.values()) line.answer = undefined;
          lines.clear();
          flights.clear();
      }
    },
    find(queued) {
      for (const batch of queued) {
        flights.delete(batch);
        for (const { key } of batch.events.map(lineOf)) {
          const state = entries.get(key)?.state;
          if (state === "sent" || state === "stored") entries.change(key, { state: "waiting", note: "" });
        }
      }
    },
    underWay: () => [...flights].reduce((sum, { events }) => sum + events.length, 0),
  };
}

/** Returns the ID of an event, with which its text begins. */
function idOf(text: string): string {
  return /^\{"id":"([^"]*)"/.exec(text)?.[1] ?? "";
}

function describeStatus({ status }: TransportAnswer): string {
  if (status > 0) return `${status}`;
  return status < 0 ? "the browser can't send this request" : "no answer";
}

/** The body of an answer of the ingest. */
interface AnswerText {
  readonly error?: { readonly message?: unknown };
  readonly duplicates?: unknown;
  readonly refused?: unknown;
}

/** Puts the body of an answer into words; empty where it says nothing. */
export function describeAnswer(text: string): string {
  try {
    const { error, duplicates, refused }: AnswerText = JSON.parse(text);
    if (typeof error?.message === "string") return error.message;
    const counts = [
      Number(duplicates) > 0 ? `${duplicates} of the request known already` : "",
      Number(refused) > 0 ? `${refused} of the request off the plan, not stored` : "",
    ];
    return counts.filter((count) => count).join(", ");
  } catch {
    return ""; // no JSON: a proxy's page
  }
}
