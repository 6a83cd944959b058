import type { View } from "../../view/view.ts";
import { toSitesTable } from "./file.ts";
import { readSites, type SitesView } from "./object.ts";
import { buildSites } from "./page.ts";
import { SITES_SCHEMAS } from "./schema.ts";

export type { SitesView } from "./object.ts";

/** All sites of the key. */
export const sites: View<object, SitesView> = {
  name: "sites",
  title: "All sites",
  description: "Compares all sites of the key.",
  span: "days",
  subject: "sites",
  hasBefore: true,
  parameters: {},
  schemas: SITES_SCHEMAS,
  read: readSites,
  build: buildSites,
  toTable: toSitesTable,
};
