/**
 * Flags of a command, once: of their table are made its help text, the variables and the config file that set them,
 * their checks, types and secrets, and `docs/flags.md`.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import * as v from "valibot";
import { isObject } from "../../contract/values.ts";
import { describeError } from "../../platform/describe_error.ts";
import { cleanValue, readVariable, type Variables } from "./clean_value.ts";
import { ServerFault } from "../ops/server_fault.ts";

/** One flag; the table has its name, without the dashes. */
export interface Flag<T = unknown> {
  /** One line that says what it does. */
  readonly help: string;
  /** Name of the value in the help text; absent for a flag that takes none. */
  readonly value?: string;
  /** Checks the value. A message continues the name of the flag. */
  readonly schema: v.GenericSchema<unknown, T>;
  /** Checks the field of the config file, where that holds something else. */
  readonly fieldSchema?: v.GenericSchema<unknown, T>;
  /** Value without any. */
  readonly default?: string;
  /** Whether it has to be set. */
  readonly isRequired?: boolean;
  /** Whether it can be given several times. */
  readonly isRepeatable?: boolean;
  /** Whether no log may hold it. */
  readonly isSecret?: boolean;
  /** Whether neither variable nor config file set it. They set no flag without a value either. */
  readonly isCommandLineOnly?: boolean;
  /** Actions that take it; absent where all do. */
  readonly actions?: readonly string[];
}

/** Flags by their names, in the order of the help text. */
export type Flags = Readonly<Record<string, Flag>>;

/** Values of flags. */
export type Values<F extends Flags> = {
  readonly [N in keyof F]:
    | v.InferOutput<F[N]["schema"]>
    | (F[N] extends { readonly default: string } | { readonly isRequired: true } ? never : undefined);
};

/** A command of the program. */
export interface Command<F extends Flags = Flags> {
  /** Its name; empty for the server. */
  readonly name: string;
  /** The help text in front of the flags: the call of the command, and its purpose. */
  readonly usage: string;
  /** Its flags, beside `--help`. */
  readonly flags: F;
  /** The help text behind the flags. */
  readonly notes?: string;
  /** Arguments beside flags: `new NAME` is an action and a value. */
  readonly forms?: readonly string[];
  /** Whether it takes a value of the command line as it is, white space and quotes included: ids may have them. */
  readonly isVerbatim?: boolean;
}

/** The arguments of a command. */
export interface Given<F extends Flags> {
  /** Values of its flags, defaults included. */
  readonly values: Values<F>;
  /** Names of the flags on the command line. */
  readonly typed: readonly string[];
  /** Arguments that are no flags. */
  readonly words: readonly string[];
  /** Values that no log may hold. */
  readonly secrets: readonly string[];
}

const HELP: Flag<boolean> = { help: "shows this text", schema: v.boolean() };

/** Returns the help text of a command. */
export function buildUsage({ usage, flags, notes }: Command): string {
  const lines = Object.entries({ ...flags, help: HELP }).map(([name, { value, default: preset, actions, help }]) => {
    const end = preset === undefined ? "" : ` (default ${preset})`;
    const start = actions === undefined ? "" : `${actions.join(", ")}: `;
    return `${`  --${name}${value ? ` ${value}` : ""}`.padEnd(34)}${start}${help}${end}`;
  });
  return [usage, lines.join("\n"), notes].filter((part) => part !== undefined).join("\n\n");
}

/**
 * Returns the environment variable of a flag; undefined for one that neither variables nor the config file set. The
 * variable of a flag that can be repeated holds several values, split by spaces.
 */
export function toVariable(name: string, { value, isRepeatable, isCommandLineOnly }: Flag): string | undefined {
  if (value === undefined || isCommandLineOnly) return undefined;
  return `INGEST_${name.toUpperCase().replaceAll("-", "_")}${isRepeatable ? "S" : ""}`;
}

/** Returns the field of a flag in the config file; a list for a flag that can be repeated. */
function toField(name: string, { isRepeatable }: Flag): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) + (isRepeatable ? "s" : "");
}

/**
 * Reads what a command is given on the command line, in the environment and in the config file, in this order of
 * precedence.
 *
 * @throws {ServerFault} For what it doesn't take, for a value that is wrong, and for a config file that can't be read.
 */
export function readFlags<F extends Flags>(
  command: Command<F>,
  { args, variables }: { readonly args: readonly string[]; readonly variables: Variables },
): "help" | "version" | Given<F> {
  const { name: commandName, flags, forms, isVerbatim } = command;
  const { values: given, positionals: words } = parse(command, args);
  if (given.help) return "help";
  if (given.version) return "version";
  if (forms?.some((form) => isForm(form, words)) === false) throw new ServerFault(describeForms(command));
  const [action = ""] = words;
  const isTaken = ({ actions = [action] }: Flag): boolean => actions.includes(action);
  const typed = Object.keys(given);
  const stranger = typed.find((name) => flags[name] && !isTaken(flags[name]));
  if (stranger !== undefined) throw new ServerFault(`${commandName} ${action} has no --${stranger}: ${see(command)}`);

  const find = (name: string, flag: Flag): unknown => {
    if (given[name] !== undefined) return isVerbatim ? given[name] : clean(given[name]);
    const text = readVariable(variables, toVariable(name, flag));
    return flag.isRepeatable ? text?.split(/\s+/).map(cleanValue) : text;
  };
  const path = flags.config && find("config", flags.config);
  const file = typeof path === "string" ? readConfig(path, flags) : {};
  const secrets: string[] = [];
  const entries = Object.entries(flags).map(([name, flag]) => {
    const text = isTaken(flag) ? find(name, flag) : undefined;
    const value = text ?? file[toField(name, flag)] ?? flag.default;
    if (value === undefined && flag.isRequired) {
      throw new ServerFault(`${commandName} needs --${name}: ${see(command)}`);
    }
    if (value === undefined) return [name, value];
    const schema = text === undefined ? flag.fieldSchema ?? flag.schema : flag.schema;
    const result = v.safeParse(schema, value);
    if (!result.success) throw new ServerFault(describe(result.issues, { name, flag }));
    if (flag.isSecret) secrets.push(String(result.output));
    return [name, result.output];
  });
  return { values: Object.fromEntries(entries), typed, words, secrets };
}

/** Returns whether words are those of a form, where one in capitals stands for any but a dash. */
function isForm(form: string, words: readonly string[]): boolean {
  const parts = form.split(" ");
  const fits = (part: string, word = "-"): boolean => /^[A-Z]+$/.test(part) ? word !== "-" : word === part;
  return words.length === parts.length && parts.every((part, index) => fits(part, words[index]));
}

function describeForms(command: Command): string {
  const { name, forms = [] } = command;
  return `${name} ${forms.length > 1 ? "must be one of" : "takes"} ${forms.join(", ")}: ${see(command)}`;
}

function see({ name }: Command): string {
  return `see ${`${name} --help`.trim()}`;
}

function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  return typeof value === "string" ? cleanValue(value) : value;
}

function parse(command: Command, args: readonly string[]): ReturnType<typeof parseArgs> {
  const options = Object.entries({ ...command.flags, help: HELP }).map(([name, { value, isRepeatable = false }]) => {
    const type = value === undefined ? "boolean" : "string";
    return [name, { type, multiple: isRepeatable, ...(name === "help" && { short: "h" }) }];
  });
  const allowPositionals = command.forms !== undefined;
  try {
    return parseArgs({ args: [...args], options: Object.fromEntries(options), allowPositionals });
  } catch (cause) {
    if (Object.keys(command.flags).length === 0) throw new ServerFault(describeForms(command), { cause });
    // Node adds advice on positional arguments that doesn't fit, and repeats them: a key without its flag, for one.
    const [text = ""] = describeError(cause).split(". ");
    const reason = /^Unexpected argument/.test(text) ? "there is an argument that belongs to no flag" : text;
    // Without forms, --help behind the command is meant.
    const hint = allowPositionals ? see(command) : "see --help";
    throw new ServerFault(`${reason.replace(/\.$/, "")}, ${hint}`, { cause });
  }
}

/** Says what is wrong with a value. */
function describe(
  [first, ...others]: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]],
  { name, flag }: { readonly name: string; readonly flag: Flag },
): string {
  // A misspelt field is unknown, and makes one missing: the name as it was written says more.
  const { path, message } = others.find(({ expected }) => expected === "never") ?? first;
  return path ? `${toField(name, flag)}[${path[0].key}] in the config file ${message}` : `${name} ${message}`;
}

function readConfig(path: string, flags: Flags): Readonly<Record<string, unknown>> {
  const config = parseConfig(path);
  const fields = Object.entries(flags).filter(([name, flag]) => name !== "config" && toVariable(name, flag));
  const known = new Map(fields.map(([name, flag]) => [toField(name, flag), flag]));
  for (const [field, value] of Object.entries(config)) {
    const flag = known.get(field);
    if (flag === undefined) throw new ServerFault(`the config file ${path} has an unknown field ${field}`);
    if (flag.isRepeatable && !Array.isArray(value)) {
      throw new ServerFault(`${field} in the config file ${path} must be a list`);
    }
  }
  return config;
}

function parseConfig(path: string): Readonly<Record<string, unknown>> {
  try {
    const config: unknown = JSON.parse(readFileSync(path, "utf8").trim());
    if (isObject(config)) return config;
  } catch (cause) {
    // The parser's message quotes the text, which holds secrets.
    const reason = cause instanceof SyntaxError ? "it isn't JSON" : describeError(cause);
    throw new ServerFault(`the config file ${path} can't be read: ${reason}`, { cause });
  }
  throw new ServerFault(`the config file ${path} can't be read: it isn't a JSON object`);
}
