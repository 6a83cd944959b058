import { type ProcessOptions, runProcess } from "../../../scripts/support/process.ts";

/** Runs a program to its end and returns what it wrote; throws with that if it fails. */
export async function runOrThrow(command: string, options: ProcessOptions): Promise<string> {
  const { code, output } = await runProcess(command, { ...options, isQuiet: true });
  if (code !== 0) throw new Error(`${command} ${options.args.join(" ")} ended with ${code}:\n${output}`);
  return output;
}
