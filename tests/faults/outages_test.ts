import { register } from "./register.ts";
import { EXIT } from "./scenarios/exit.ts";
import { OUTAGE } from "./scenarios/outage.ts";
import { TABS } from "./scenarios/tabs.ts";
import { VISITS } from "./scenarios/visits.ts";

register([...EXIT, ...OUTAGE, ...VISITS, ...TABS]);
