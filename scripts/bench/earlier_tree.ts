import { fileURLToPath } from "node:url";
import { runProcess } from "../support/process.ts";

/** Files of an earlier commit. */
export interface EarlierTree {
  /** Folder that has them. */
  readonly folder: string;
  /** Its commit and day. */
  readonly title: string;
  /** Removes the folder. */
  remove(): Promise<void>;
}

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Takes files of a commit out of the history of this repository, into a temporary folder.
 *
 * @throws {Error} Where the clone doesn't have the commit, as a shallow one may not.
 */
export async function extractEarlierTree(commit: string, paths: readonly string[]): Promise<EarlierTree> {
  const found = await git("rev-parse", "--verify", "--quiet", `${commit}^{commit}`);
  if (found.code !== 0) throw new Error(await explainAbsence(commit));
  const folder = await Deno.makeTempDir({ prefix: "vendor_sdk_before_" });
  const remove = (): Promise<void> => Deno.remove(folder, { recursive: true });
  try {
    const hash = found.output.trim();
    const archive = `${folder}/tree.tar`;
    expectSuccess(await git("archive", `--output=${archive}`, hash, ...paths));
    expectSuccess(await runProcess("tar", { args: ["-xf", archive, "-C", folder], isQuiet: true }));
    return { folder, title: (await git("show", "-s", "--format=%h of %cs", hash)).output.trim(), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function git(...args: readonly string[]): ReturnType<typeof runProcess> {
  return runProcess("git", { args, cwd: REPOSITORY, isQuiet: true });
}

async function explainAbsence(commit: string): Promise<string> {
  const isShallow = (await git("rev-parse", "--is-shallow-repository")).output.trim() === "true";
  return isShallow
    ? `this clone is shallow and doesn't have ${commit}: run \`git fetch --unshallow\`, or leave --before out`
    : `this repository has no commit ${commit}`;
}

function expectSuccess({ code, output }: Awaited<ReturnType<typeof runProcess>>): void {
  if (code !== 0) throw new Error(`the files of that commit can't be read: ${output.trim()}`);
}
