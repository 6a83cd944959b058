import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { type InstalledPackage, listFiles } from "./installed_package.ts";

/** A text that stands once in the sources, so that the way back from each build can be followed to its line. */
const LANDMARK = { path: "src/client/config.ts", text: "Missing required configuration" } as const;

/**
 * Checks that each script names a source map in the package, that the map contains its sources, and that the way back
 * from a place that exists in each build ends in the right line.
 */
export async function checkSourceMaps({ directory }: InstalledPackage): Promise<void> {
  const scripts = (await listFiles(directory)).filter((path) => path.endsWith(".js"));
  let followed = 0;
  for (const path of scripts) {
    const code = await Deno.readTextFile(`${directory}/${path}`);
    const map = new TraceMap(await Deno.readTextFile(`${directory}/${toMapPath(path, code)}`));
    const isWhole = map.sources.length > 0 && map.sources.every((_, index) => map.sourcesContent?.[index]);
    if (!isWhole) throw new Error(`${path}: the source map lacks its sources`);
    if (followBack(code, map)) followed++;
  }
  // As an ES module, in CommonJS and in the script-tag build.
  if (followed !== 3) throw new Error(`${followed} source maps lead to ${LANDMARK.path}, not 3`);
  console.log(`source maps: ${scripts.length}, all with their sources`);
}

function toMapPath(path: string, code: string): string {
  const name = /\n\/\/# sourceMappingURL=(\S+)\s*$/.exec(code)?.[1];
  if (!name) throw new Error(`${path} names no source map`);
  return path.replace(/[^/]*$/, name);
}

/** Returns whether the script has the landmark; throws where its source map leads elsewhere. */
function followBack(code: string, map: TraceMap): boolean {
  const lines = code.split("\n");
  const line = lines.findIndex((text) => text.includes(LANDMARK.text));
  if (line < 0) return false;
  const column = lines[line]?.indexOf(LANDMARK.text) ?? 0;
  const original = originalPositionFor(map, { line: line + 1, column });
  const index = map.sources.indexOf(original.source);
  const source = map.sourcesContent?.[index]?.split("\n")[(original.line ?? 0) - 1];
  if (!original.source?.endsWith(LANDMARK.path) || !source?.includes(LANDMARK.text)) {
    throw new Error(`A source map leads to line ${original.line} of ${original.source}, not to "${LANDMARK.text}"`);
  }
  return true;
}
