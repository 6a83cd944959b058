import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isObject } from "../contract/is_object.ts";
import { describeError } from "./describe_error.ts";
import { type Flag, FLAGS, toField, toVariable } from "./flags.ts";
import { ServerFault } from "./server_fault.ts";

/** What was set, as text; where it can be given several times, a list. */
export interface Values {
  /** Returns the text of a setting, or its default. Throws where it is empty. */
  text(name: string): string | undefined;
  /** Returns whether a setting without value is on. Throws for what is neither `true` nor `false`. */
  isOn(name: string): boolean;
  /** Returns the keys as given on the command line or in the environment. */
  readonly keys: readonly string[];
  /** Returns the keys as given in the config file. */
  readonly fileKeys: readonly unknown[];
}

/** What is asked for on the command line alone. */
const COMMANDS: readonly string[] = ["help", "version"];

/** What a setting without value may be in the environment and in the config file. */
const SWITCHES: readonly string[] = ["true", "1", "false", "0"];

/** Variables of the environment. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Collects what is set on the command line, in the environment and in the config file, in this order of precedence.
 *
 * @throws {ServerFault} For an unknown or incomplete flag, and for a config file that can't be read.
 */
export function readValues(args: readonly string[], variables: Variables): Values {
  const given = parseFlags(args);
  const find = (flag: Flag): unknown => given[flag.name] ?? emptyToUndefined(readVariable(flag, variables));
  const configPath = find(flagOf("config"));
  const file = typeof configPath === "string" ? readConfig(configPath) : {};
  const keys = find(flagOf("key"));

  return {
    text(name): string | undefined {
      const flag = flagOf(name);
      const value = find(flag) ?? file[toField(flag)] ?? flag.fallback;
      if (value === undefined) return undefined;
      // What a shell makes of a variable that isn't set: a key or a password that would be refused at run time.
      if (value === "") throw new ServerFault(`${name} must not be empty`);
      if (typeof value === "string" || typeof value === "number") return String(value);
      throw new ServerFault(`${toField(flag)} in the config file must be a string or a number`);
    },
    isOn(name): boolean {
      const flag = flagOf(name);
      const value = String(find(flag) ?? file[toField(flag)] ?? false);
      if (!SWITCHES.includes(value)) {
        throw new ServerFault(`${name} must be true, 1, false or 0, not ${JSON.stringify(value)}`);
      }
      return value === "true" || value === "1";
    },
    keys: Array.isArray(keys) ? keys : String(keys ?? "").split(/\s+/).filter((key) => key !== ""),
    fileKeys: Array.isArray(file.keys) ? file.keys : [],
  };
}

// INGEST_VERSION and its like say something else wherever somebody has set them.
function readVariable(flag: Flag, variables: Variables): string | undefined {
  return COMMANDS.includes(flag.name) ? undefined : variables[toVariable(flag)];
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

function flagOf(name: string): Flag {
  const flag = FLAGS.find((candidate) => candidate.name === name);
  if (flag === undefined) throw new Error(`there is no setting ${name}`);
  return flag;
}

function emptyToUndefined(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
