import { readForm } from "./form.ts";
import { register } from "./register.ts";
import { BFCACHE } from "./scenarios/bfcache.ts";
import { BLOCKED } from "./scenarios/blocked.ts";
import { CONSENT } from "./scenarios/consent.ts";
import { EXIT_TIME } from "./scenarios/exit_time.ts";
import { OFFLINE } from "./scenarios/offline.ts";
import { SOAK } from "./scenarios/soak.ts";
import { STORAGE } from "./scenarios/storage.ts";

// CI's forms time no exit: they only look what is saved.
const exits = readForm().isShort ? EXIT_TIME : [];
register([...OFFLINE, ...BLOCKED, ...BFCACHE, ...STORAGE, ...CONSENT, ...SOAK, ...exits]);
