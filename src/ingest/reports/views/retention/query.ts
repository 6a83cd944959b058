import { oneOf, type ParametersOf } from "../../query/parameter.ts";
import { readReturn, type Stage, writeStage } from "../../query/stages.ts";

/** The periods of retention. */
export const UNITS = ["week", "day", "month"] as const;

/** One of {@linkcode UNITS}. */
export type RetentionUnit = typeof UNITS[number];

/** The query of retention, in code. */
export interface RetentionOptions {
  /**
   * Length of the periods; weeks begin on the key's `weekStart`.
   *
   * @default {"week"}
   */
  readonly unit?: "week" | "day" | "month";
  /**
   * Event that counts as a return, written as a stage of a funnel: `goal:Order`, `page:/teas/*`, `step:signup`.
   *
   * @default {any event}
   */
  readonly event?: string;
}

/** The query of retention. */
export interface RetentionQuery {
  /** Periods. */
  readonly unit: RetentionUnit;
  /** The events that count as a return; any event where it's absent. */
  readonly event?: Stage | undefined;
}

/** The parameters of retention. */
export const RETENTION_PARAMETERS: ParametersOf<RetentionQuery> = {
  unit: oneOf("unit", {
    words: UNITS,
    description: "Periods of retention; weeks begin on Monday, or on the day that the key names.",
    code: "bad_unit",
    isAlwaysWritten: true,
  }),
  event: {
    name: "event",
    schema: { type: "string" },
    description: "What counts as a return with the view retention, written as a stage; any event by default.",
    read: ([text]) => text ? readReturn(text) : undefined,
    write: (event) => event === undefined ? [] : [writeStage(event)],
  },
};
