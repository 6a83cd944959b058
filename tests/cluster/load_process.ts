import { command, type IngestProcessOptions, type IngestResult } from "./ingest_process.ts";

/** A loader that runs. */
export interface RunningLoad {
  /** Returns its log so far. */
  output(): string;
  /** Sends the signal and waits for the end. */
  end(signal?: Deno.Signal): Promise<IngestResult>;
}

/** Starts a loader, and waits until it loads, or copies. */
export async function startLoadProcess(
  args: readonly string[],
  options: IngestProcessOptions = {},
): Promise<RunningLoad> {
  const child = command(["load", ...args], options).spawn();
  const stderr = new Response(child.stderr).text();
  const started = Promise.withResolvers<void>();
  let stdout = "";
  const reading = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      stdout += text;
      if (/"message":"(loading|copying)"/.test(stdout)) started.resolve();
    }
    started.reject(new Error(`The loader ended: ${stdout}${await stderr}`));
  })();
  await started.promise;
  return {
    output: () => stdout,
    async end(signal = "SIGTERM") {
      child.kill(signal);
      await reading;
      const { code } = await child.status;
      return { code, stdout, stderr: await stderr };
    },
  };
}
