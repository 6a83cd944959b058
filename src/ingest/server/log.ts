/** How much a line matters. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** What a line says beside its message. Never a key, a body or an identity. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes structured lines; never throws. */
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

/** Settings of {@linkcode createLog}. */
export interface LogOptions {
  /** The least level that is written. */
  readonly level: LogLevel;
  /** Takes a line, without its end. */
  readonly write: (line: string) => void;
  /** Current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Text that must not be written wherever it comes from, an error's message for one: keys and secrets. */
  readonly secrets: readonly string[];
}

/** The levels, from the least. */
export const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

const MASK = "***";

/** Creates a log of one JSON object per line: `time`, `level`, `message` and the fields. */
export function createLog({ level: least, write, now, secrets }: LogOptions): Log {
  const leastIndex = LOG_LEVELS.indexOf(least);
  const safe = createMasker(secrets);
  return (level, message, fields = {}) => {
    if (LOG_LEVELS.indexOf(level) < leastIndex) return;
    const values = Object.entries(fields).map((
      [name, value],
    ) => [name, typeof value === "string" ? safe(value) : value]);
    const time = new Date(now()).toISOString();
    try {
      write(JSON.stringify({ time, level, message: safe(message), ...Object.fromEntries(values) }));
    } catch {
      // On Deno `console.log()` throws where the disk of the log is full. Events are taken all the same.
    }
  };
}

/** Masks in one pass: a secret that is itself a part of the mask would tell which of the others were masked. */
function createMasker(secrets: readonly string[]): (text: string) => string {
  // The longest first: a secret may be the beginning of another one.
  const patterns = secrets.filter((secret) => secret !== "")
    .toSorted((one, other) => other.length - one.length)
    .map((secret) => secret.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  if (patterns.length === 0) return (text) => text;
  const pattern = new RegExp(patterns.join("|"), "g");
  return (text) => text.replace(pattern, MASK);
}
