/**
 * The panel: what the current state collects, who the visitor is now, and what the SDK keeps on the device.
 *
 * @module
 */
import { type ConsentState, Vendor } from "@vendor/sdk";
import { SESSION_IDLE_MS } from "../../../src/limits.ts";
import { shortId } from "../feed_row.ts";
import { SDK_KEY_PREFIX } from "./analytics.ts";
import { describeCollection, type Fact, type Level } from "./collection.ts";
import { byId, el } from "./dom.ts";
import type { Mode } from "./settings.ts";

/** What the panel describes beside the consent state. */
export interface PanelOptions {
  /** Returns the mode in force. */
  readonly mode: () => Mode;
  /** Returns who is signed in to the shop, or null. */
  readonly user: () => string | null;
}

type StoredKey = readonly [key: string, value: string];

const REFRESH_MS = 1_000;
const MARKS: Readonly<Record<Level, string>> = { full: "●", aggregate: "◐", none: "○" };

/** What the SDK's keys are for, by how they begin. */
const MEANINGS: readonly (readonly [prefix: string, meaning: string])[] = [
  ["visitor", "You, as a random ID, until you sign out or decline."],
  ["session", `Your visit, until ${SESSION_IDLE_MS / 60_000} minutes pass without an event.`],
  ["outbox.", "Events on their way, until the ingest has them."],
  ["lease.", "Says that this page lives, and sends them itself."],
];

/** Creates the panel and keeps it fresh; returns what shows it at once. */
export function createPanel({ mode, user }: PanelOptions): () => void {
  let shown = "";

  function show(): void {
    const consent = Vendor.getConsent();
    // Reading storage is access to the device, and so is looking at it for a demo: not while pending.
    const keys = consent === "pending" ? [] : readSdkKeys();
    const content = JSON.stringify([consent, mode(), user(), keys]);
    if (content === shown) return;
    shown = content;
    const { title, summary, facts } = describeCollection(consent, mode());
    byId("collected", HTMLElement).dataset.state = consent;
    byId("collected-title", HTMLElement).textContent = title;
    byId("collected-summary", HTMLElement).textContent = summary;
    byId("collected-facts", HTMLElement).replaceChildren(...facts.flatMap(buildFact));
    byId("visitor-facts", HTMLElement).replaceChildren(...describeVisitor(consent, user(), keys).flatMap(buildFact));
    byId("device-keys", HTMLElement).replaceChildren(...keys.flatMap(buildKey));
    byId("device-empty", HTMLElement).textContent = consent === "pending"
      ? "Not looked at: before a choice, even reading storage is access to the device."
      : keys.length === 0
      ? "None."
      : "";
  }

  setInterval(() => {
    if (document.visibilityState === "visible") show();
  }, REFRESH_MS);
  return show;
}

function describeVisitor(consent: ConsentState, user: string | null, keys: readonly StoredKey[]): readonly Fact[] {
  const idOf = (name: string): string =>
    shortId(keys.find(([key]) => key === SDK_KEY_PREFIX + name)?.[1] ?? "") || "made with the next event";
  if (consent === "granted") {
    return [
      ["Visitor", "full", idOf("visitor")],
      ["Session", "full", idOf("session")],
      ["User", "full", user ?? "anonymous"],
    ];
  }
  const none = consent === "pending" ? "none is made" : "forgotten";
  const held = consent === "pending" ? "waits in memory until you accept" : "is known to the shop alone";
  return [
    ["Visitor", "none", none],
    ["Session", "none", none],
    ["User", "none", user === null ? "nobody" : `${user} ${held}`],
  ];
}

function readSdkKeys(): readonly StoredKey[] {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(SDK_KEY_PREFIX))
      .sort()
      .map((key) => [key, localStorage.getItem(key) ?? ""] as const);
  } catch {
    // Browsers that block storage throw; then the SDK keeps its identifiers in memory.
    return [];
  }
}

function buildFact([topic, level, text]: Fact): readonly HTMLElement[] {
  return [
    el("dt", { text: topic, attributes: { "data-level": level, "data-mark": MARKS[level] } }),
    el("dd", { text }),
  ];
}

function buildKey([key]: StoredKey): readonly HTMLElement[] {
  const meaning = MEANINGS.find(([prefix]) => key.startsWith(SDK_KEY_PREFIX + prefix))?.[1] ?? "";
  return [
    el("dt", { children: [el("code", { text: key })] }),
    el("dd", { text: meaning }),
  ];
}
