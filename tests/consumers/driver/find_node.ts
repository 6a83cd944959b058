import { tmpdir } from "node:os";
import { runOrThrow } from "./run_or_throw.ts";

/** A Node that today's frameworks take, and that has SQLite; npm brings it. */
const NODE = "node@22.23.3";

/** Returns the path of a Node that frameworks and the ingest run on, whichever is on the path. */
export async function findNode(): Promise<string> {
  const args = ["-y", NODE, "-p", "process.execPath"];
  return (await runOrThrow("npx", { args, cwd: tmpdir() })).trim().split("\n").at(-1) ?? "";
}
