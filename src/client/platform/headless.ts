import type { HeadlessEnvironment, LogLevel } from "./environment.ts";

/** Writes a line for the developer. */
export function log(level: LogLevel, message: string): void {
  console[level](message);
}

/** The environment of a place without a document: a server, a worker, a build. */
export const HEADLESS: HeadlessEnvironment = { canCollect: false, log };
