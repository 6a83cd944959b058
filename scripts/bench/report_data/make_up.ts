import type { StoredEvent } from "../../../src/ingest/mod.ts";
import { SHOP_ORIGIN } from "./shop.ts";

/**
 * Makes up every text that reports list of an event, as somebody does who wants to fill a store: no other event has its path,
 * its campaign, its name, or its properties' names and values. As many properties stay, and who it's of.
 */
export function makeUp({ context, properties, ...event }: StoredEvent, place: number): StoredEvent {
  const isPageview = event.name === "$pageview";
  const names = Object.keys(properties ?? {});
  return {
    ...event,
    name: isPageview ? event.name : `made_up_${place}`,
    ...(properties !== undefined && {
      properties: Object.fromEntries(names.map((name) => [`${name}_${place}`, `${name} of ${place}`])),
    }),
    ...(context !== undefined && {
      context: { ...context, pageUrl: `${SHOP_ORIGIN}/made-up/${place}?utm_source=source_${place}` },
    }),
  };
}
