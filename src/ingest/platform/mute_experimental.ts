import process from "node:process";

/** Keeps from the log that Node calls its SQLite experimental, in each thread anew: who runs the program can't change it. */
export function muteExperimental(): void {
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    if (warning.name !== "ExperimentalWarning") console.error(String(warning));
  });
}
