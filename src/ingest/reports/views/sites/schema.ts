import type { Schema } from "../../query/parameter.ts";
import { COMPARE, CONSENT, COUNT, DAMAGED, listOf, objectOf, SCOPE } from "../../view/schema.ts";

const { site: SITE, ...OF_DAYS } = SCOPE;

const SITE_COUNTS: Schema = { visitors: COUNT, sessions: COUNT, ...CONSENT };

/** Schemas of the view, by their names in the OpenAPI document. */
export const SITES_SCHEMAS: Readonly<Record<string, Schema>> = {
  SitesView: objectOf({
    view: { const: "sites" },
    ...OF_DAYS,
    ...COMPARE,
    rows: listOf(objectOf({ site: SITE, ...SITE_COUNTS, before: objectOf(SITE_COUNTS) })),
    count: { ...COUNT, description: "Sites of the key; rows has 50 of them at most." },
  }, DAMAGED),
};
