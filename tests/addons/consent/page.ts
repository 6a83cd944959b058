import type { ConsentState } from "../../../mod.ts";
import type { Operations } from "../../../src/client/mod.ts";
import { type ConsentSource, followConsent } from "../../../src/addons/consent/mod.ts";

/** A client that remembers what it was told. */
export interface TestClient extends Pick<Operations, "getConsent" | "setConsent"> {
  /** The states it was set to, in order. */
  readonly states: readonly ConsentState[];
}

/** Creates a client with an initial state. */
export function createTestClient(initial: ConsentState = "pending"): TestClient {
  const states: ConsentState[] = [];
  return {
    states,
    getConsent: () => states.at(-1) ?? initial,
    setConsent: (state) => void states.push(state),
  };
}

/** Ends of what the page of a test follows. */
const ends: (() => void)[] = [];

/** Puts global variables of a page in place, a document among them, until it's disposed of. */
export function openPage(globals: Readonly<Record<string, unknown>>): Disposable {
  const page = { document: new EventTarget(), ...globals };
  Object.assign(globalThis, page);
  return {
    [Symbol.dispose]() {
      for (const end of ends.splice(0)) end();
      for (const name of Object.keys(page)) Reflect.deleteProperty(globalThis, name);
    },
  };
}

/** Runs a test in a page. */
export function withPage(globals: Readonly<Record<string, unknown>>, run: () => void): void {
  using _page = openPage(globals);
  run();
}

/** Follows a source from pending on; returns what the client was told, and what ends it. */
export function follow(source: ConsentSource): { readonly states: readonly ConsentState[]; readonly stop: () => void } {
  const client = createTestClient();
  const stop = followConsent(client, source);
  ends.push(stop);
  return { states: client.states, stop };
}

/** Says that a script of the page has run. */
export function announceScript(): void {
  document.dispatchEvent(new Event("load"));
}
