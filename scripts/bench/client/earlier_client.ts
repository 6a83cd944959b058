import { fileURLToPath } from "node:url";
import { runProcess } from "../../support/process.ts";

/** The client of an earlier commit. */
export interface EarlierClient {
  /** Folder with its `mod.ts` and `src/`. */
  readonly folder: string;
  /** Its commit and day. */
  readonly title: string;
  /** Removes the folder. */
  remove(): Promise<void>;
}

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Takes the client of a commit out of the history of this repository, into a temporary folder.
 *
 * @throws {Error} Where the clone doesn't have the commit, as a shallow one may not.
 */
export async function extractEarlierClient(commit: string): Promise<EarlierClient> {
  const found = await git("rev-parse", "--verify", "--quiet", `${commit}^{commit}`);
  if (found.code !== 0) throw new Error(await explainAbsence(commit));
  const folder = await Deno.makeTempDir({ prefix: "vendor_sdk_before_" });
  const remove = (): Promise<void> => Deno.remove(folder, { recursive: true });
  try {
    const hash = found.output.trim();
    const archive = `${folder}/client.tar`;
    expectSuccess(await git("archive", `--output=${archive}`, hash, "mod.ts", "src"));
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
    ? `this clone is shallow and doesn't have ${commit}: run \`git fetch --unshallow\`, or leave the column before out`
    : `this repository has no commit ${commit}`;
}

function expectSuccess({ code, output }: Awaited<ReturnType<typeof runProcess>>): void {
  if (code !== 0) throw new Error(`the client of that commit can't be read: ${output.trim()}`);
}
