import { attempt } from "../base/attempt.ts";

interface ZonedScope {
  readonly Zone?: { readonly root?: { readonly run?: <T>(task: () => T) => T } };
}

/**
 * Does something outside of the zone that the page's code runs in. Angular takes a page for unstable while a timer or a
 * request of its zone is under way, and looks for changes after each.
 */
export const outsideZone: <T>(scope: unknown, task: () => T) => T = ((scope, task) => {
  const root = attempt(() => (scope as ZonedScope).Zone?.root); // a frame of that name tells nothing
  return root?.run ? root.run(task) : task();
}) satisfies typeof outsideZone;
