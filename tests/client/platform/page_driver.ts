import type { PageEnvironment } from "../../../src/client/platform/environment.ts";

/** What a page is opened with. */
export interface DriverOptions {
  /** URL of the page that led here; empty unless given. */
  readonly referrer?: string;
  /** Whether the page is loaded ahead. */
  readonly isPrerendering?: boolean;
}

/** A request as it left the page. */
export interface SentRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly keepalive: boolean;
  readonly priority: string;
}

/** A page under test, and what moves the platform below it. */
export interface PageDriver {
  /** The environment under test. */
  readonly environment: PageEnvironment;
  /** What left the page, oldest first. */
  sent(): readonly SentRequest[];
  /** Sets how later requests are answered; without Retry-After in seconds there is no such header. */
  respond(answer: { readonly status: number; readonly retryAfterS?: number } | "hang"): void;
  /** Does what a script of the page does. */
  pushState(url: string): void;
  /** Does what a script of the page does. */
  replaceState(url: string): void;
  /** Presses the back button; resolves when the page heard of it. */
  back(): Promise<void>;
  /** Changes the document's title. */
  setTitle(title: string): void;
  /** Turns to another tab. */
  hide(): void;
  /** Comes back from there. */
  show(): void;
  /** Leaves the page for another one, with the back/forward cache. */
  leave(): void;
  /** Comes back from there. */
  restore(): void;
  /** Shows a page that was loaded ahead. */
  activate(): void;
  /** Takes the device off the network. */
  goOffline(): void;
  /** Puts it back. */
  goOnline(): void;
  /** Makes storage throw. */
  blockStorage(): void;
  /** Makes writes to storage throw. */
  fillStorage(): void;
  /** Returns what is stored on the device. */
  stored(): Readonly<Record<string, string>>;
  /** Lets time pass. */
  pass(durationMs: number): Promise<void>;
  /** Throws the page away. */
  close(): Promise<void>;
}

/** URL of the pages that drivers open. */
export const DRIVER_URL = "https://shop.example/teas?sort=price#green";

/** Title of the pages that drivers open. */
export const DRIVER_TITLE = "Teas";

/** Screen of the pages that drivers open. */
export const DRIVER_SCREEN: { readonly width: number; readonly height: number } = { width: 390, height: 844 };
