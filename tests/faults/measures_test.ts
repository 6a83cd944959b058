import { readForm } from "./form.ts";
import { register } from "./register.ts";
import { EXIT_TIME } from "./scenarios/exit_time.ts";
import { FLOOD } from "./scenarios/flood.ts";

// Apart from the others: these measure times, and nothing else may run beside them.
register(readForm().isShort ? FLOOD : [...FLOOD, ...EXIT_TIME]);
