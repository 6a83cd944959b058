import { PAGEVIEW_NAME } from "../client/base/draft.ts";
import type { StepEvent } from "../client/base/types.ts";

/** Steps of any name with any properties: what an application has that doesn't say more of its steps. */
export type AnySteps = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/**
 * An event of a step. `Steps` maps the names of an application's steps to their properties, as `Typed` of
 * `@vendor/sdk/typed` has it. At runtime properties are what JSON makes of them: a `Date` is a text.
 */
export type CapturedStep<Steps, Name extends keyof Steps = keyof Steps> = {
  [One in Name]: Omit<StepEvent, "name" | "properties"> & {
    /** Its name. */
    readonly name: One;
    /** Its properties; absent for a step without any. */
    // deno-lint-ignore ban-types -- the literal `{}`: properties that may be empty may be left out
    readonly properties: {} extends Steps[One] ? Steps[One] | undefined : Steps[One];
  };
}[Name];

/** The events that a test looks at, oldest first. */
export interface CapturedEvents<Steps extends { readonly [Name in keyof Steps]: object | undefined } = AnySteps> {
  /** All of them. */
  readonly events: readonly StepEvent[];
  /** The pageviews, full and aggregate. */
  readonly pageviews: readonly StepEvent[];
  /**
   * Returns the events that are no pageviews.
   *
   * @param name Only steps of this name; by default all.
   */
  steps<Name extends keyof Steps & string>(name?: Name): readonly CapturedStep<Steps, Name>[];
}

/** Creates the view of events that are read anew each time. */
export function createCapturedEvents<Steps extends { readonly [Name in keyof Steps]: object | undefined }>(
  read: () => readonly StepEvent[],
): CapturedEvents<Steps> {
  return {
    get events() {
      return read();
    },
    get pageviews() {
      return read().filter(({ name }) => name === PAGEVIEW_NAME);
    },
    // The names and properties are as `Steps` says: nothing but the compiler knows it.
    steps: <Name extends keyof Steps & string>(only?: Name) =>
      read().filter(({ name }) =>
        only === undefined ? name !== PAGEVIEW_NAME : name === only
      ) as readonly unknown[] as readonly CapturedStep<Steps, Name>[],
  };
}

/** Returns events without those that come again: an event keeps its id when it's sent again. */
export function withoutRepeats(events: readonly StepEvent[]): readonly StepEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()];
}

/** Returns whether a status says that events were taken. */
export function isSuccess(status = 0): boolean {
  return status >= 200 && status < 300;
}
