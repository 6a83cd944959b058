import { dirname, join } from "node:path/posix";
import type { Markdown } from "./markdown.ts";

/** Links to files of the repository, as pages outside of it write them. */
const REPOSITORY =
  /^https:\/\/(?:github\.com\/vendor\/sdk\/(?:blob|tree|raw)|raw\.githubusercontent\.com\/vendor\/sdk)\/main\//;
const ELSEWHERE = /^(?:[a-z]+:|\/\/)/i;

/** Questions of {@linkcode checkLinks} about the repository. */
export interface Repository {
  /** The documents that are checked, by path. */
  readonly documents: ReadonlyMap<string, Markdown>;
  /** Whether there is a file or folder of this path. */
  exists(path: string): boolean;
}

/**
 * Returns a line for each link that leads to no file or heading of the repository. Links to other sites are not looked
 * at. Those to files have to be relative, so that they work in a clone: the npm packages get absolute ones.
 */
export function checkLinks({ documents, exists }: Repository): readonly string[] {
  const problems: string[] = [];
  for (const [path, { links }] of documents) {
    for (const { target, line } of links) {
      const problem = findProblem(path, target);
      if (problem) problems.push(`${path}:${line}: ${target} ${problem}`);
    }
  }
  return problems;

  function findProblem(path: string, target: string): string | undefined {
    const isAbsolute = REPOSITORY.test(target);
    if (!isAbsolute && ELSEWHERE.test(target)) return undefined;
    const [file = "", anchor] = decodeURI(target).split("#");
    if (isAbsolute) return "has to be relative";
    const linked = file === "" ? path : join(dirname(path), file);
    if (linked.startsWith("..") || !exists(linked)) return "leads to no file";
    if (anchor === undefined || documents.get(linked)?.anchors.has(anchor)) return undefined;
    return documents.has(linked) ? "leads to no heading" : "has an anchor in a file without headings";
  }
}
