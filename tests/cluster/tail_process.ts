import { command, type IngestProcessOptions } from "./ingest_process.ts";

/** A program that prints events as they are stored. */
export interface RunningTail {
  /** Resolves with the output so far once it contains the text, or matches. */
  until(text: string | RegExp): Promise<string>;
  /** Reads its output no further: what it writes from now on fails. */
  closeOutput(): Promise<void>;
  /** Sends the signal, if any, and waits for the end. */
  end(signal?: Deno.Signal): Promise<{ readonly code: number; readonly stderr: string }>;
}

/** Starts the program. */
export function startTail(args: readonly string[], options: IngestProcessOptions): RunningTail {
  const child = command(["tail", ...args], options).spawn();
  const stderr = new Response(child.stderr).text();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let stdout = "";
  return {
    async until(text) {
      while (stdout.search(text) < 0) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`it ended before it printed ${text}: ${stdout}${await stderr}`);
        stdout += value;
      }
      return stdout;
    },
    closeOutput: () => reader.cancel(),
    async end(signal) {
      if (signal) child.kill(signal);
      if (signal) await reader.cancel();
      return { code: (await child.status).code, stderr: await stderr };
    },
  };
}
