import type { ConsentState } from "../../client/base/types.ts";
import type { Operations } from "../../client/operations.ts";
import { isLanding } from "../page/page.ts";

/** `Vendor`, or a client, which is told of the visitor's choice. */
export type ConsentClient = Pick<Operations, "getConsent" | "setConsent"> & Partial<Pick<Operations, "step">>;

/**
 * Applies what is known of the visitor's choice. No answer (`pending`) takes a grant back, which nobody gave, and no
 * denial, which Global Privacy Control may have.
 *
 * @param isAnswer Whether the visitor gave the answer while they look at this page. A grant on a page that they came to
 * from elsewhere is a step, which has that page's campaign.
 */
export function applyConsent(client: ConsentClient, state: ConsentState, isAnswer: boolean): void {
  const before = client.getConsent();
  if (state === "pending" && before !== "granted") return;
  client.setConsent(state);
  if (isAnswer && state === "granted" && before !== state && isLanding()) client.step?.("$consent");
}
