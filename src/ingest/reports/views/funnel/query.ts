import type { Funnel } from "../../../ports/report_query.ts";
import { oneOf, type ParametersOf } from "../../query/parameter.ts";
import { readStages, type Stage, writeStage } from "../../query/stages.ts";

/** In which time the last stage of a funnel has to follow the first. */
export const WITHINS = ["session", "1h", "1d", "7d", "30d"] as const;

/** One of {@linkcode WITHINS}. */
export type Within = typeof WITHINS[number];

/** Order of the stages. */
export const ORDERS: readonly Funnel["order"][] = ["sequential", "strict", "flexible"];

/** The query of a funnel, in code. */
export interface FunnelOptions {
  /** 2 to 8 stages, each written as in the query of a request. */
  readonly stages: readonly string[];
  /**
   * In which time the last stage has to follow the first.
   *
   * @default {"session"}
   */
  readonly within?: "session" | "1h" | "1d" | "7d" | "30d";
  /**
   * Order of the stages.
   *
   * @default {"sequential"}
   */
  readonly order?: Funnel["order"];
}

/** The query of a funnel. */
export interface FunnelQuery {
  /** Its stages; none where no funnel is asked for. */
  readonly stages: readonly Stage[];
  /** In which time the last stage has to follow the first. */
  readonly within: Within;
  /** Order of the stages. */
  readonly order: Funnel["order"];
}

/** The parameters of a funnel. */
export const FUNNEL_PARAMETERS: ParametersOf<FunnelQuery> = {
  stages: {
    name: "stage",
    schema: { type: "array", items: { type: "string" } },
    description:
      'A stage of a funnel, repeated 2 to 8 times: `page:/cart`, `page:/teas/*`, `step:signup`, `step:signup:tier:"pro"` or ' +
      "`goal:Order`, with `|` between alternatives.",
    read: (texts) => readStages(texts.filter((text) => text !== "")),
    write: (stages) => stages.map(writeStage),
  },
  within: oneOf("within", {
    words: WITHINS,
    description: "In which time the last stage has to follow the first.",
    code: "bad_funnel",
    isAlwaysWritten: true,
  }),
  order: oneOf("order", {
    words: ORDERS,
    description: "How stages follow each other.",
    code: "bad_funnel",
    isAlwaysWritten: true,
  }),
};

const HOUR_MS = 60 * 60 * 1000;

const WITHIN_MS: Readonly<Record<Within, "session" | number>> = {
  "session": "session",
  "1h": HOUR_MS,
  "1d": 24 * HOUR_MS,
  "7d": 7 * 24 * HOUR_MS,
  "30d": 30 * 24 * HOUR_MS,
};

/** Returns the time of a funnel, as the port has it. */
export function toWithin(within: Within): "session" | number {
  return WITHIN_MS[within];
}
