import { attempt } from "../../client/base/attempt.ts";
import { MAX_PROPERTIES_BYTES } from "../../client/base/limits.ts";
import { utf8Length } from "../../client/base/utf8.ts";
import { toJson } from "../../client/json.ts";
import { warnDeveloper } from "../page/page.ts";
import type { Rule } from "./ruled_event.ts";

/**
 * Adds the same properties to steps and to full pageviews, never to aggregates. A property that the step has already
 * wins. Where both together are over 32 KiB of JSON, the event goes without the common ones; the first time is a warning
 * in the console.
 *
 * @param values The properties, which become JSON once, at this call, as those of `step()` do: a later change of the
 * object changes no event. What can't be read, or is no object, adds nothing and is a warning in the console.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { addProperties, addRules } from "@vendor/sdk/rules";
 *
 * addRules(Vendor, addProperties({ release: "2026.11", experiment: "blue" }));
 * ```
 */
export function addProperties(values: object): Rule {
  const text = attempt(() => toJson(values));
  if (text === undefined) {
    warnDeveloper("addProperties() takes an object that can be read: nothing is added");
    return (event) => event;
  }
  const textBytes = utf8Length(text);
  let hasWarned = false;
  return (event) => {
    if (event.kind === "aggregate") return event;
    // A copy for each event: rules behind this one may change it.
    const properties = { ...JSON.parse(text), ...event.properties };
    const isWithin = event.properties === undefined && textBytes <= MAX_PROPERTIES_BYTES;
    if (isWithin || utf8Length(JSON.stringify(properties)) <= MAX_PROPERTIES_BYTES) return { ...event, properties };
    if (!hasWarned) {
      hasWarned = true;
      attempt(() => warnDeveloper("addProperties() left out: over 32 KiB with the event's own"));
    }
    return event;
  };
}
