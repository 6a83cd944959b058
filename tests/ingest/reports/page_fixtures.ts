import { Window } from "happy-dom";
import type { StoredEvent } from "../../../src/ingest/mod.ts";
import { buildEvent, buildPageview, SITE } from "./fixtures.ts";

export const RANGE = "?from=2026-03-27&to=2026-03-31";

export const NOON = "2026-03-31T12:00:00.000Z";

/** Reads the page as a browser would. */
export async function withPage<T>(answer: Response, use: (page: Document, text: string) => T): Promise<T> {
  const text = await answer.text();
  const window = new Window({ url: "https://ingest.shop.example/reports" });
  try {
    window.document.write(text);
    return use(window.document as unknown as Document, text);
  } finally {
    await window.happyDOM.close();
  }
}

export function textsOf(page: Document, selector: string): readonly string[] {
  return [...page.querySelectorAll(selector)].map(({ textContent }) => (textContent ?? "").trim().replace(/\s+/g, " "));
}

export const searchOf = (page: Document, selector: string): URLSearchParams =>
  new URLSearchParams(page.querySelector(selector)?.getAttribute("href") ?? "");

export const VISIT: readonly StoredEvent[] = [
  buildPageview({
    timestamp: NOON,
    pageUrl: `${SITE}/caf%C3%A9`,
    referrer: "https://search.example/",
    sessionId: "s-1",
    anonymousId: "v-1",
    userId: "u-1",
  }),
  buildPageview({ timestamp: NOON, pageUrl: `${SITE}/`, collection: "aggregate" }),
  buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "signup", sessionId: "s-1", anonymousId: "v-1" }),
  buildPageview({ timestamp: "2026-03-26T10:00:00.000Z", pageUrl: `${SITE}/`, collection: "aggregate" }),
];
