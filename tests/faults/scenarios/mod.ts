import type { Scenario } from "../scenario.ts";
import { BFCACHE } from "./bfcache.ts";
import { BLOCKED } from "./blocked.ts";
import { CONSENT } from "./consent.ts";
import { EXIT } from "./exit.ts";
import { OFFLINE } from "./offline.ts";
import { OUTAGE } from "./outage.ts";
import { SOAK } from "./soak.ts";
import { STORAGE } from "./storage.ts";
import { TABS } from "./tabs.ts";
import { VISITS } from "./visits.ts";

/** What goes wrong around the SDK, in the order of the table. */
export const SCENARIOS: readonly Scenario[] = [
  ...EXIT,
  ...OUTAGE,
  ...VISITS,
  ...TABS,
  ...OFFLINE,
  ...BLOCKED,
  ...BFCACHE,
  ...STORAGE,
  ...CONSENT,
  ...SOAK,
];
