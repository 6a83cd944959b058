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
  | "plan"
  | "ingest"
  | "global"
  | "page"
  | "extension"
  | "inspector"
  | "program";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));

const FILES: Readonly<Record<string, Layer>> = {
  "mod.ts": "entry",
  "src/client/vendor.ts": "singleton",
  // What wires the parts together.
  "src/client/mod.ts": "root",
  "src/client/client.ts": "root",
  "src/client/inside.ts": "root",
  "src/client/instance.ts": "root",
  // Pure, like what lies in base/.
  "src/client/delivery/batch.ts": "leaf",
  // What a command line starts.
  "src/ingest/server/bin.ts": "program",
  // What runs in a thread of its own.
  "src/ingest/stores/sqlite/worker/worker.ts": "program",
  // The port itself and the pure functions beside it; everything else in platform/ touches the platform.
  "src/client/platform/environment.ts": "port",
  "src/client/platform/time.ts": "port",
  "src/client/platform/timer.ts": "port",
  "src/client/platform/detect.ts": "detector",
};

const DIRECTORIES: readonly (readonly [string, Layer])[] = [
  ["src/client/base/", "leaf"],
  ["src/client/platform/", "adapter"],
  ["src/client/", "core"],
  ["src/addons/page/", "page"],
  ["src/addons/inspector/", "inspector"],
  ["src/addons/", "extension"],
  ["src/plan/", "plan"],
  ["src/script_tag/", "global"],
  ["src/testing/", "testing"],
  ["src/ingest/", "ingest"],
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
