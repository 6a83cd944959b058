import process from "node:process";
import { escapeForJson, replaceControls } from "../../events/foreign_text.ts";

/** Level of a line. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Fields of a line beside its message. Never a key, a body or an identity. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes structured lines; never throws. */
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

/** Settings of {@linkcode createLog}. */
export interface LogOptions {
  /** The least level that is written. */
  readonly level: LogLevel;
  /** Takes a line, without its end; returns false for one that it leaves out. */
  readonly write: (line: string) => boolean;
  /** Current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Text that must not be written wherever it comes from, an error's message for one: keys and secrets. May grow. */
  readonly secrets: ReadonlySet<string>;
}

/** Writes lines without waiting for their reader. */
export interface Output {
  /** Takes a line, without its end; returns false where too much waits already. */
  write(line: string): boolean;
  /** Resolves when nothing waits, and after a moment in any case. */
  flush(): Promise<void>;
}

/** The part of Deno in use. Written down here, since the npm package is compiled without Deno's types. */
interface DenoRuntime {
  readonly stdout: { write(bytes: Uint8Array): Promise<number> };
}

/** A terminal as Node has it. */
interface Terminal {
  readonly _handle?: { setBlocking?(isBlocking: boolean): void };
}

/** The levels, from the least. */
export const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

const MASK = "***";

/** Milliseconds in which a warning or an error isn't repeated. */
const QUIET_MS = 10_000;

/** Most characters that wait. */
const MAX_WAITING_CHARACTERS = 1_000_000;

const FLUSH_LIMIT_MS = 1_000;

/**
 * Creates a log of one JSON object per line: `time`, `level`, `message` and the fields. Of warnings and errors with the
 * same message it writes one in 10 seconds. `lost` says how many lines couldn't be written.
 */
export function createLog({ level: least, write, now, secrets }: LogOptions): Log {
  const leastIndex = LOG_LEVELS.indexOf(least);
  let known: { readonly size: number; readonly lengths: readonly number[] } = { size: 0, lengths: [] };
  const saidAtMs = new Map<string, number>();
  let lost = 0;

  function safe(text: string): string {
    if (known.size !== secrets.size) known = { size: secrets.size, lengths: listLengths(secrets) };
    return maskSecrets(text, secrets, known.lengths);
  }

  return (level, message, fields = {}) => {
    if (LOG_LEVELS.indexOf(level) < leastIndex) return;
    const nowMs = now();
    if (level === "warn" || level === "error") {
      if (Math.abs(nowMs - (saidAtMs.get(message) ?? -Infinity)) < QUIET_MS) return;
      saidAtMs.set(message, nowMs);
    }
    const values = Object.entries(fields).map((
      [name, value],
    ) => [name, typeof value === "string" ? safe(value) : value]);
    const line = JSON.stringify({
      time: new Date(nowMs).toISOString(),
      level,
      message: safe(message),
      ...Object.fromEntries(values),
      ...(lost > 0 && { lost }),
    });
    // JSON leaves C1 controls and those of direction as they are: a terminal obeys them.
    const isWritten = write(replaceControls(line, escapeForJson));
    lost = isWritten ? 0 : lost + 1;
  };
}

/** Returns how long secrets are, the longest first: one may be the beginning of another. */
function listLengths(secrets: ReadonlySet<string>): readonly number[] {
  const lengths = new Set([...secrets].map(({ length }) => length));
  return [...lengths].filter((length) => length > 0).toSorted((one, other) => other - one);
}

/**
 * Masks in one pass: a secret that is itself a part of the mask would tell which of the others were masked. Parts of the
 * text are looked up: a pattern of 20,000 secrets takes a third of a second to compile.
 */
function maskSecrets(text: string, secrets: ReadonlySet<string>, lengths: readonly number[]): string {
  let masked = "";
  let start = 0;
  while (start < text.length) {
    const length = lengths.find((length) => secrets.has(text.slice(start, start + length)));
    masked += length === undefined ? text[start] : MASK;
    start += length ?? 1;
  }
  return masked;
}

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

/**
 * Sends text to the standard output; rejects where nobody reads it any more. On Deno, `console.log()` and node:process both stop the whole process while a pipe
 * is full; on Node, a terminal that stands still, of a lost connection or after a Ctrl-S, does, unless told otherwise.
 */
export async function sendToStdout(text: string): Promise<void> {
  const { Deno } = globalThis as { readonly Deno?: DenoRuntime };
  if (Deno === undefined) {
    if (process.stdout.isTTY) (process.stdout as Terminal)._handle?.setBlocking?.(false);
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(text, (error) => error ? reject(error) : resolve());
    });
    return;
  }
  let rest = new TextEncoder().encode(text);
  while (rest.length > 0) rest = rest.subarray(await Deno.stdout.write(rest));
}
