import process from "node:process";

/** Writes lines without waiting for whoever reads them. */
export interface Output {
  /** Takes a line, without its end; returns false where too much waits already. */
  write(line: string): boolean;
  /** Resolves when nothing waits, and after a moment in any case. */
  flush(): Promise<void>;
}

/** Most characters that wait. */
const MAX_WAITING_CHARACTERS = 1_000_000;

const FLUSH_LIMIT_MS = 1_000;

/** Creates an output whose pieces of text go out one after the other. One that fails is lost. */
export function createOutput(send: (text: string) => Promise<void>): Output {
  let waiting = "";
  let sending: Promise<void> | undefined;

  async function sendAll(): Promise<void> {
    while (waiting !== "") {
      const text = waiting;
      waiting = "";
      // A disk that is full, a pipe that nobody reads any more: events are taken all the same.
      await send(text).catch(() => {});
    }
    sending = undefined;
  }

  return {
    write(line): boolean {
      if (waiting.length > MAX_WAITING_CHARACTERS) return false;
      waiting += `${line}\n`;
      sending ??= sendAll();
      return true;
    },
    async flush(): Promise<void> {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const limit = new Promise<void>((resolve) => timer = setTimeout(resolve, FLUSH_LIMIT_MS));
      await Promise.race([sending, limit]);
      clearTimeout(timer);
    },
  };
}

/** The part of Deno in use. Written down here, since the npm package is compiled without Deno's types. */
interface DenoRuntime {
  readonly stdout: { write(bytes: Uint8Array): Promise<number> };
}

/** What Node makes of a terminal. */
interface Terminal {
  readonly _handle?: { setBlocking?(isBlocking: boolean): void };
}

/**
 * Sends text to the standard output. On Deno, `console.log()` and node:process both stop the whole process while a pipe
 * is full; on Node, a terminal that stands still, of a lost connection or after a Ctrl-S, does, unless told otherwise.
 */
export async function sendToStdout(text: string): Promise<void> {
  const { Deno } = globalThis as { readonly Deno?: DenoRuntime };
  if (Deno === undefined) {
    if (process.stdout.isTTY) (process.stdout as Terminal)._handle?.setBlocking?.(false);
    await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
    return;
  }
  let rest = new TextEncoder().encode(text);
  while (rest.length > 0) rest = rest.subarray(await Deno.stdout.write(rest));
}
