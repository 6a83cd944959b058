import { dirname, join, relative } from "node:path/posix";
import { fileURLToPath } from "node:url";

/** A part of the source tree that the rules treat alike. */
export type Layer =
  | "entry"
  | "singleton"
  | "root"
  | "core"
  | "leaf"
  | "port"
  | "detector"
  | "adapter"
  | "testing"
  | "typed"
  | "plan"
  | "ingest"
  | "global"
  | "extension"
  | "inspector"
  | "program";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

const FILES: Readonly<Record<string, Layer>> = {
  "mod.ts": "entry",
  "src/vendor.ts": "singleton",
  // What wires the parts together.
  "src/client.ts": "root",
  "src/inside.ts": "root",
  "src/instance.ts": "root",
  // Pure files that import nothing but each other.
  "src/types.ts": "leaf",
  "src/version.ts": "leaf",
  "src/utf8.ts": "leaf",
  "src/attempt.ts": "leaf",
  "src/url.ts": "leaf",
  "src/is_id.ts": "leaf",
  "src/batch.ts": "leaf",
  "src/limits.ts": "leaf",
  // What a command line starts.
  "src/ingest/server/bin.ts": "program",
  // What runs in a thread of its own.
  "src/ingest/threads/worker.ts": "program",
  // The port itself and the pure functions beside it; everything else in environment/ touches the platform.
  "src/environment/environment.ts": "port",
  "src/environment/time.ts": "port",
  "src/environment/timer.ts": "port",
  "src/environment/detect.ts": "detector",
};

const DIRECTORIES: readonly (readonly [string, Layer])[] = [
  ["src/environment/", "adapter"],
  ["src/testing/", "testing"],
  ["src/typed/", "typed"],
  ["src/plan/", "plan"],
  ["src/ingest/", "ingest"],
  ["src/global/", "global"],
  ["src/consent_platforms/", "extension"],
  ["src/compat/", "extension"],
  ["src/cookie/", "extension"],
  ["src/rules/", "extension"],
  ["src/inspector/", "inspector"],
  ["src/", "core"],
];

/** Returns a file's path relative to the repository. */
export function toRepositoryPath(filename: string): string {
  return filename.startsWith("/") ? relative(REPOSITORY, filename) : filename;
}

/** Returns the layer of a file; undefined for files outside the source tree, such as tests and scripts. */
export function findLayer(path: string): Layer | undefined {
  return FILES[path] ?? DIRECTORIES.find(([directory]) => path.startsWith(directory))?.[1];
}

/** Returns the path that a relative import of a file names. */
export function resolveImport(path: string, specifier: string): string {
  return join(dirname(path), specifier);
}
