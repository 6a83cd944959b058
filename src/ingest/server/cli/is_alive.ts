import process from "node:process";

/** Returns whether there is a process of that id on this machine. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Whoever may not send a signal there hears of another fault.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
