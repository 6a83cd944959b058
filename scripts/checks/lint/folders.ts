import { dirname, join, relative } from "node:path/posix";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));

/** The port to the platform, and the pure functions beside it. */
const PORT: readonly string[] = [
  "client/platform/environment.ts",
  "client/platform/time.ts",
  "client/platform/timer.ts",
];

/** Modules that the parts of the client share: none of them knows a part. */
const SHARED: readonly string[] = [
  "client/base/",
  ...PORT,
  "client/delivery/batch.ts",
  "client/config.ts",
  "client/consent.ts",
  "client/hooks.ts",
];

/** All of the client but the singleton, which a page loads with `mod.ts` alone. */
const CLIENT: readonly string[] = [...SHARED, "client/platform/", "client/delivery/", "client/capture/", "client/"];

/** The ports, and the rooms below them. */
const PORTS: readonly string[] = ["ingest/platform/", "ingest/contract/", "ingest/events/", "ingest/ports/"];

/** Rooms that a store may know. */
const STORE: readonly string[] = [...PORTS, "ingest/reports/sql/"];

/** All of the ingest but its entry point and its server. */
const INGEST: readonly string[] = [
  ...STORE,
  "ingest/keys/",
  "ingest/http/",
  "ingest/stores/",
  "ingest/stores/*/",
  "ingest/loader/",
  "ingest/reports/",
  "ingest/reports/query/",
  "ingest/reports/access/",
  "ingest/reports/page/",
  "ingest/reports/view/",
  "ingest/reports/views/*/",
  "ingest/reports/views/overview/",
  "ingest/reports/views/",
  "ingest/reports/mcp/",
  "ingest/",
];

/**
 * Folders that each folder of `src/` may import beside itself. Of several rows that fit a path the longest holds; `*`
 * stands for a folder's name, and no such folder knows its neighbour. A row names earlier rows alone, so that there is
 * no circle.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "client/base/": [],
  "client/platform/environment.ts": ["client/base/"],
  "client/platform/time.ts": ["client/base/"],
  "client/platform/timer.ts": ["client/base/", "client/platform/environment.ts"],
  "client/platform/": ["client/base/", ...PORT],
  // It alone names the adapters.
  "client/platform/detect.ts": ["client/base/", ...PORT, "client/platform/"],
  "client/delivery/batch.ts": ["client/base/", ...PORT],
  "client/config.ts": ["client/base/", ...PORT],
  "client/consent.ts": ["client/base/", ...PORT],
  "client/hooks.ts": ["client/base/", ...PORT],
  // The two halves of delivery's line to the ingest, which it makes itself.
  "client/delivery/link.ts": ["client/base/", ...PORT],
  "client/delivery/in_flight.ts": SHARED,
  "client/delivery/": [...SHARED, "client/delivery/link.ts", "client/delivery/in_flight.ts"],
  "client/capture/": [...SHARED, "client/delivery/"],
  "client/": [...SHARED, "client/platform/detect.ts", "client/delivery/", "client/delivery/link.ts", "client/capture/"],
  "client/vendor.ts": ["client/base/", "client/"],
  "mod.ts": ["client/base/", "client/vendor.ts"],
  "addons/page/": CLIENT,
  "addons/*/": [...CLIENT, "addons/page/"],
  "plan/": CLIENT,
  "sender/": CLIENT,
  "script_tag/": [...CLIENT, "client/platform/detect.ts"],
  "testing/": [...CLIENT, "plan/"],
  "ingest/platform/": [],
  "ingest/contract/": [],
  "ingest/events/": ["ingest/platform/", "ingest/contract/"],
  "ingest/keys/": ["ingest/platform/", "ingest/contract/", "ingest/events/"],
  "ingest/http/": ["ingest/platform/", "ingest/contract/", "ingest/events/"],
  "ingest/ports/": ["ingest/platform/", "ingest/contract/", "ingest/events/"],
  "ingest/reports/sql/": PORTS,
  "ingest/threads/": ["ingest/platform/"],
  "ingest/stores/": STORE,
  "ingest/stores/*/": [...STORE, "ingest/stores/", "ingest/threads/"],
  "ingest/stores/*/worker/": [...STORE, "ingest/stores/*/"],
  // The program of the threads; what starts them knows its text alone.
  "ingest/threads/worker/": ["ingest/platform/", "ingest/threads/", "ingest/stores/*/", "ingest/stores/*/worker/"],
  "ingest/loader/": [...STORE, "ingest/stores/*/"],
  "ingest/reports/query/": [...STORE, "ingest/keys/"],
  "ingest/reports/access/": [...STORE, "ingest/keys/", "ingest/reports/query/"],
  "ingest/reports/page/": [...STORE, "ingest/reports/query/"],
  "ingest/reports/view/": [...STORE, "ingest/reports/query/", "ingest/reports/access/", "ingest/reports/page/"],
  "ingest/reports/views/*/": [
    ...STORE,
    "ingest/reports/query/",
    "ingest/reports/access/",
    "ingest/reports/page/",
    "ingest/reports/view/",
  ],
  // It begins with the first rows of the others.
  "ingest/reports/views/overview/": [
    ...STORE,
    "ingest/reports/query/",
    "ingest/reports/access/",
    "ingest/reports/page/",
    "ingest/reports/view/",
    "ingest/reports/views/*/",
  ],
  "ingest/reports/views/": [
    ...STORE,
    "ingest/reports/query/",
    "ingest/reports/view/",
    "ingest/reports/views/*/",
    "ingest/reports/views/overview/",
  ],
  "ingest/reports/mcp/": [
    ...STORE,
    "ingest/reports/query/",
    "ingest/reports/access/",
    "ingest/reports/view/",
    "ingest/reports/views/",
  ],
  "ingest/reports/": [
    ...STORE,
    "ingest/keys/",
    "ingest/reports/query/",
    "ingest/reports/access/",
    "ingest/reports/page/",
    "ingest/reports/view/",
    "ingest/reports/views/*/",
    "ingest/reports/views/overview/",
    "ingest/reports/views/",
    "ingest/reports/mcp/",
  ],
  "ingest/": [...STORE, "ingest/keys/", "ingest/http/"],
  "ingest/mod.ts": INGEST,
  "ingest/server/ops/": INGEST,
  "ingest/server/http/": [...INGEST, "ingest/server/ops/"],
  "ingest/server/demo/": [...INGEST, "ingest/server/ops/", "ingest/server/http/"],
  "ingest/server/cli/": [...INGEST, "ingest/server/ops/", "ingest/server/http/", "ingest/server/demo/"],
  "ingest/server/": ["ingest/platform/", "ingest/server/cli/"],
};

/** The part of `src/` that a file belongs to. */
export interface Part {
  /** Its row in {@linkcode MAY_IMPORT}. */
  readonly row: string;
  /** The file or folder itself: the row with names in the place of `*`. */
  readonly path: string;
}

const PATTERNS: readonly (readonly [string, RegExp])[] = Object.keys(MAY_IMPORT)
  .toSorted((a, b) => b.length - a.length)
  .map((
    row,
  ) => [row, new RegExp(`^${row.replaceAll(".", "\\.").replaceAll("*", "[^/]+")}${row.endsWith("/") ? "" : "$"}`)]);

/** Returns a file's path as {@linkcode MAY_IMPORT} has it: in `src/`, and relative to the repository beside it. */
export function toSourcePath(filename: string): string {
  const path = filename.startsWith("/") ? relative(REPOSITORY, filename) : filename;
  return path.startsWith("src/") ? path.slice("src/".length) : path === "mod.ts" ? path : `../${path}`;
}

/** Returns whether a path of {@linkcode toSourcePath} is one of a source, and not of a test or a script. */
export function isSource(sourcePath: string): boolean {
  return !sourcePath.startsWith("../");
}

/** Returns the part that a file belongs to; undefined for tests, scripts, and sources that no row fits. */
export function findPart(sourcePath: string): Part | undefined {
  for (const [row, pattern] of PATTERNS) {
    const [path] = pattern.exec(sourcePath) ?? [];
    if (path !== undefined) return { row, path };
  }
}

/** Returns the path that a relative import of a file names, as {@linkcode toSourcePath} does. */
export function resolveImport(sourcePath: string, specifier: string): string {
  if (sourcePath === "mod.ts") return toSourcePath(join(specifier));
  return join(dirname(sourcePath), specifier);
}
