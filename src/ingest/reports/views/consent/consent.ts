import type { View } from "../../view/view.ts";
import { toConsentTable } from "./file.ts";
import { type ConsentView, readConsent } from "./object.ts";
import { buildConsent } from "./page.ts";
import { CONSENT_SCHEMAS } from "./schema.ts";

export type { ConsentView } from "./object.ts";

/** What came with consent and before it. */
export const consent: View<object, ConsentView> = {
  name: "consent",
  title: "Consent",
  span: "days",
  subject: "site",
  hasBefore: true,
  parameters: {},
  schemas: CONSENT_SCHEMAS,
  isEmpty: () => true,
  read: readConsent,
  build: buildConsent,
  toTable: toConsentTable,
};
