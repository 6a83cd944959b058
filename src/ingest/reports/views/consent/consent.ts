import type { View } from "../../view/view.ts";
import { toConsentTable } from "./file.ts";
import { type ConsentView, readConsent } from "./object.ts";
import { buildConsent } from "./page.ts";
import { CONSENT_COLUMNS, CONSENT_PARAMETERS, type ConsentQuery } from "./query.ts";
import { CONSENT_SCHEMAS } from "./schema.ts";

export type { ConsentView } from "./object.ts";

/** The traffic with consent and before it. */
export const consent: View<ConsentQuery, ConsentView> = {
  name: "consent",
  title: "Consent",
  description:
    "Compares what came with consent and before it: about how many accept, when, on which pages and from where.",
  span: "days",
  subject: "site",
  hasBefore: true,
  parameters: CONSENT_PARAMETERS,
  columns: CONSENT_COLUMNS,
  schemas: CONSENT_SCHEMAS,
  isEmpty: () => true,
  read: readConsent,
  build: buildConsent,
  toTable: toConsentTable,
};
