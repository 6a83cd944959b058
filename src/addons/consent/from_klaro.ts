import type { ConsentState } from "../../client/base/types.ts";
import { createGuard } from "./create_guard.ts";
import type { ConsentSource } from "./follow_consent.ts";
import { readGlobal, whenFound } from "../page/page.ts";

/** What is used of Klaro 0.7. */
export interface KlaroLibrary {
  /** Calls a handler for each event of a type, those of the past too. */
  addEventListener(type: "render", handler: (config: object) => void): void;
  /** Returns the manager of a configuration. */
  getManager(config: object): {
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
  return (report) => {
    const guard = createGuard(report);
    const managers = new Set<KlaroManager>();
    const watcher = { update: (manager: KlaroManager): void => guard(() => report(readState(manager, service))) };
    let isOver = false;
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

function readState({ confirmed, savedConsents }: KlaroManager, service: string): ConsentState {
  const isAccepted = savedConsents[service];
  if (!confirmed || isAccepted === undefined) return "pending";
  return isAccepted ? "granted" : "denied";
}
