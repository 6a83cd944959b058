import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isObject } from "../contract/is_object.ts";
import { describeError } from "./describe_error.ts";
import { type Flag, FLAGS, toField, toVariable } from "./flags.ts";
import { ServerFault } from "./server_fault.ts";

/** Variables of the environment. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** What is asked for on the command line alone: `INGEST_VERSION` and its like say something else. */
const COMMANDS: readonly string[] = ["help", "version"];

/**
 * Collects what is set on the command line, in the environment and in the config file, in this order of precedence, by
 * the name of the flag, with defaults. The keys of the file are objects, and come as `fileKeys`.
 *
 * @throws {ServerFault} For an unknown or incomplete flag, and for a config file that can't be read.
 */
export function readValues(args: readonly string[], variables: Variables): Readonly<Record<string, unknown>> {
  const given = parseFlags(args);
  // An empty variable is one that isn't set.
  const find = (flag: Flag): unknown =>
    given[flag.name] ?? (COMMANDS.includes(flag.name) ? undefined : variables[toVariable(flag)] || undefined);
  const path = FLAGS.filter(({ name }) => name === "config").map(find)[0];
  const { keys: fileKeys, ...file } = typeof path === "string" ? readConfig(path) : {};
  const values = FLAGS.map((flag) => [flag.name, find(flag) ?? file[toField(flag)] ?? flag.fallback] as const);
  return Object.fromEntries([...values, ["fileKeys", fileKeys] as const].filter(([, value]) => value !== undefined));
}

function parseFlags(args: readonly string[]): Readonly<Record<string, unknown>> {
  const options = Object.fromEntries(
    FLAGS.map(({ name, value, isRepeatable }) => [
      name,
      {
        type: value === undefined ? "boolean" as const : "string" as const,
        multiple: isRepeatable === true,
        ...(name === "help" && { short: "h" }),
      },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (cause) {
    // Node adds advice on positional arguments that doesn't fit, and repeats them: a key without its flag, for one.
    const [text = ""] = describeError(cause).split(". ");
    const reason = /^Unexpected argument/.test(text) ? "there is an argument that belongs to no flag" : text;
    throw new ServerFault(`${reason.replace(/\.$/, "")}, see --help`, { cause });
  }
}

function readConfig(path: string): Readonly<Record<string, unknown>> {
  const config = parseConfig(path);
  const known = FLAGS.filter(({ name }) => name !== "config" && !COMMANDS.includes(name)).map(toField);
  const stranger = Object.keys(config).find((name) => !known.includes(name));
  if (stranger !== undefined) throw new ServerFault(`the config file ${path} has an unknown field ${stranger}`);
  if (config.keys !== undefined && !Array.isArray(config.keys)) {
    throw new ServerFault(`keys in the config file ${path} must be a list`);
  }
  return config;
}

function parseConfig(path: string): Readonly<Record<string, unknown>> {
  try {
    const config: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isObject(config)) return config;
  } catch (cause) {
    // The parser's message quotes the text, which holds secrets.
    const reason = cause instanceof SyntaxError ? "it isn't JSON" : describeError(cause);
    throw new ServerFault(`the config file ${path} can't be read: ${reason}`, { cause });
  }
  throw new ServerFault(`the config file ${path} can't be read: it isn't a JSON object`);
}
