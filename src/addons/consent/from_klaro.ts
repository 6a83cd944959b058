import type { ConsentState } from "../../client/base/types.ts";
import { createGuard } from "./create_guard.ts";
import type { ConsentSource } from "./follow_consent.ts";
import { readGlobal, whenFound } from "../page/page.ts";

/** The part in use of Klaro 0.7. */
export interface KlaroLibrary {
  /** Calls a handler for each event of a type, those of the past too. */
  addEventListener(type: "render", handler: (config: object) => void): void;
  /** Returns the manager of a configuration. */
  getManager(config: object): {
    /** Where the answers are stored. */
    readonly store?: { get(): string | null };
    /** Whether the visitor has answered for all services. */
    readonly confirmed: boolean;
    /** Answers by service, as they were saved last. */
    readonly savedConsents: Readonly<Record<string, boolean>>;
    /** Tells a watcher of each change, once each. */
    watch(watcher: object): void;
    /** Stops telling it. */
    unwatch(watcher: object): void;
  };
}

type KlaroManager = ReturnType<KlaroLibrary["getManager"]>;

/** Settings of {@linkcode fromKlaro}. */
export interface FromKlaroOptions {
  /** Name of the service of your analytics, as in `services` of Klaro's configuration. */
  readonly service: string;
  /**
   * The library, where it's imported and no script of the page puts it in place.
   *
   * @default {globalThis.klaro}
   */
  readonly library?: KlaroLibrary;
}

/**
 * Takes the choice from [Klaro](https://klaro.org) 0.7, once it has rendered. A service that is on without an answer
 * (`default`, `optOut`) is none.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { followConsent, fromKlaro } from "@vendor/sdk/consent";
 *
 * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events", consent: "pending" });
 * followConsent(Vendor, fromKlaro({ service: "analytics" }));
 * ```
 */
export function fromKlaro({ service, library }: FromKlaroOptions): ConsentSource {
  return (report, whenShown) => {
    const guard = createGuard(report);
    const managers = new Set<KlaroManager>();
    const watcher = { update: (manager: KlaroManager): void => guard(() => report(readState(manager, service))) };
    let isOver = false;
    whenShown(() => {
      // What a manager remembers may be outdated.
      for (const manager of managers) report(toState(readStored(manager)?.[service]));
    });
    const follow = (klaro: KlaroLibrary): void => {
      // Not earlier: a manager that is made sets scripts of the page free.
      klaro.addEventListener("render", (config) =>
        guard(() => {
          if (isOver) return;
          const manager = klaro.getManager(config);
          managers.add(manager);
          manager.watch(watcher);
          watcher.update(manager);
        }));
    };
    const endWait = whenFound(() => guard(() => library ?? findLibrary()), (klaro) => guard(() => follow(klaro)));
    return () => {
      isOver = true;
      endWait();
      for (const manager of managers) guard(() => manager.unwatch(watcher));
    };
  };
}

// Klaro draws into an element with the ID `klaro`, which is a global variable by that.
function findLibrary(): KlaroLibrary | undefined {
  const klaro = readGlobal<KlaroLibrary>("klaro");
  return typeof klaro?.getManager === "function" ? klaro as KlaroLibrary : undefined;
}

function readState(manager: KlaroManager, service: string): ConsentState {
  // What is stored has no defaults in it: a service that was added later doesn't undo the answers for the others. Where
  // nothing can be stored, the manager remembers the answers.
  return toState((readStored(manager) ?? (manager.confirmed ? manager.savedConsents : {}))[service]);
}

type Answers = Readonly<Record<string, boolean | undefined>>;

function readStored({ store }: KlaroManager): Answers | undefined {
  const text = store?.get();
  return text ? JSON.parse(decodeURIComponent(text)) : undefined;
}

function toState(isAccepted: boolean | undefined): ConsentState {
  if (isAccepted === undefined) return "pending";
  return isAccepted ? "granted" : "denied";
}
