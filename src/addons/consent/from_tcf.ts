import type { ConsentState } from "../../client/base/types.ts";
import { createGuard } from "./create_guard.ts";
import type { ConsentSource } from "./follow_consent.ts";
import { readGlobal, whenFound } from "../page/page.ts";

/** Settings of {@linkcode fromTcf}. */
export interface FromTcfOptions {
  /** IDs of the purposes that the visitor has to consent to, all of them. An empty list is never granted. */
  readonly purposes: readonly number[];
  /** ID of the vendor in the Global Vendor List that the visitor has to consent to as well. */
  readonly vendorId?: number;
  /** Consent where the platform says that the GDPR doesn't apply. */
  readonly outsideGdpr: ConsentState;
}

type Flags = Readonly<Record<number, boolean | undefined>>;

/** The part in use of the specification's TCData (CMP API 2). */
interface TcData {
  readonly cmpStatus?: string;
  readonly tcString?: string;
  readonly eventStatus?: string;
  readonly gdprApplies?: boolean;
  readonly isServiceSpecific?: boolean;
  readonly listenerId?: number | null;
  readonly purpose?: { readonly consents?: Flags };
  readonly vendor?: { readonly consents?: Flags; readonly disclosedVendors?: Flags };
  readonly publisher?: { readonly restrictions?: Readonly<Record<number, Readonly<Record<number, number>>>> };
}

type TcfCallback = (data: TcData | null, isSuccess: boolean) => void;

type TcfApi = (command: string, version: 2, callback: TcfCallback, parameter?: number) => void;

/** A restriction of the publisher that leaves consent as the legal basis. */
const REQUIRE_CONSENT = 1;

/**
 * Takes the choice from a platform of the IAB Transparency and Consent Framework 2.2 or 2.3, by its function `__tcfapi`
 * in the same window. Only consent counts, never legitimate interest.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { followConsent, fromTcf } from "@vendor/sdk/consent";
 *
 * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events", consent: "pending" });
 * followConsent(Vendor, fromTcf({ purposes: [1, 8, 9], outsideGdpr: "pending" }));
 * ```
 */
export function fromTcf(options: FromTcfOptions): ConsentSource {
  return (report, whenShown) => {
    const guard = createGuard(report);
    let isOver = false;
    let listenerId: number | null | undefined;
    const removeListener = (): void => {
      // It's 0 for the first listener of some platforms.
      if (typeof listenerId === "number") findApi()?.("removeEventListener", 2, () => {}, listenerId);
    };
    const hear: TcfCallback = (data, isSuccess) =>
      guard(() => {
        listenerId ??= data?.listenerId;
        if (isOver) return removeListener(); // a stub keeps what was asked of it
        const state = data && isSuccess && readState(data, options);
        if (state) report(state);
      });
    // It answers from its memory, and where it stores the choice isn't said.
    whenShown(() => report("pending"));
    const endWait = whenFound(() => guard(findApi), (api) => guard(() => api("addEventListener", 2, hear)));
    return () => {
      isOver = true;
      endWait();
      guard(removeListener);
    };
  };
}

function findApi(): TcfApi | undefined {
  const api: unknown = readGlobal("__tcfapi");
  return typeof api === "function" ? api as TcfApi : undefined;
}

/** Returns what the visitor chose; nothing while that isn't known, and when the platform is in an error state. */
function readState(data: TcData, options: FromTcfOptions): ConsentState | undefined {
  const { cmpStatus = "loaded", eventStatus = "", gdprApplies, isServiceSpecific, tcString } = data;
  if (cmpStatus !== "loaded") return undefined;
  if (gdprApplies === false) return options.outsideGdpr;
  // While the dialog is shown (`cmpuishown`) the visitor hasn't answered, or not anew.
  const isAnswered = eventStatus === "tcloaded" || eventStatus === "useractioncomplete";
  // A string of global scope is invalid.
  if (gdprApplies !== true || !isAnswered || isServiceSpecific === false) return undefined;
  if (!tcString) return "pending"; // there is no answer yet
  return isConsent(data, options) ? "granted" : "denied";
}

function isConsent({ purpose, vendor, publisher }: TcData, { purposes, vendorId }: FromTcfOptions): boolean {
  if (purposes.length === 0 || !purposes.every((id) => purpose?.consents?.[id] === true)) return false;
  if (vendorId === undefined) return true;
  const isDisclosed = vendor?.disclosedVendors?.[vendorId] ?? !vendor?.disclosedVendors; // since 2.3
  const isRestricted = purposes.some((id) =>
    (publisher?.restrictions?.[id]?.[vendorId] ?? REQUIRE_CONSENT) !== REQUIRE_CONSENT
  );
  return vendor?.consents?.[vendorId] === true && isDisclosed && !isRestricted;
}
