import { register } from "./register.ts";
import { SCENARIOS } from "./scenarios/mod.ts";

register(SCENARIOS);
