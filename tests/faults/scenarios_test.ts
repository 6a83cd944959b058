import { readForm } from "./form.ts";
import { register } from "./register.ts";
import { EXIT_TIME } from "./scenarios/exit_time.ts";
import { SCENARIOS } from "./scenarios/mod.ts";

// CI's form times no exit: it only looks what is saved.
register(readForm().isShort ? [...SCENARIOS, ...EXIT_TIME] : SCENARIOS);
