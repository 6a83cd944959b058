import type { HeadlessEnvironment } from "./environment.ts";

/** Creates the environment of a place without a document: a server, a worker, a build. */
export function createHeadlessEnvironment(): HeadlessEnvironment {
  return { canCollect: false, log: (level, message) => console[level](message) };
}
