import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { type Schema, Validator } from "@cfworker/json-schema";
import { createPlanCheck } from "../../plan/plan_check.ts";
import type { Plan } from "../../typed/infer_steps.ts";
import type { StandardIssue, StandardResult, StandardSchema } from "../../typed/standard_schema.ts";
import { isObject } from "../contract/values.ts";
import { describeError } from "../describe_error.ts";
import { ServerFault } from "./server_fault.ts";

/** What a runtime says of itself. */
interface RuntimeInfo {
  readonly versions: Readonly<Record<string, string | undefined>>;
  readonly features: { readonly typescript?: unknown };
}

/**
 * Loads a plan: a module whose `default` or `plan` holds schemas that follow Standard Schema, or a JSON file that holds
 * a JSON Schema (2020-12) of the properties for each name.
 *
 * @throws {ServerFault} For a file that can't be read, holds no plan, or is TypeScript that the runtime can't load.
 */
export async function loadPlan(path: string, runtime: RuntimeInfo = process): Promise<Plan> {
  const isTypeScript = /\.[cm]?ts$/.test(path);
  // Deno and Bun load TypeScript, and say nothing of it here.
  const { deno, bun, node } = runtime.versions;
  if (isTypeScript && !deno && !bun && !runtime.features.typescript) {
    throw new ServerFault(
      `the plan ${path} is TypeScript, which Node loads from 22.18 on, and this is Node ${node}: ` +
        "give it as JavaScript, or as JSON Schema in a .json file",
    );
  }
  try {
    const plan = path.endsWith(".json") ? readJsonPlan(path) : await importPlan(path);
    createPlanCheck(plan); // made for its checks alone
    return plan;
  } catch (cause) {
    throw new ServerFault(`the plan ${path} can't be used: ${describeError(cause)}`, { cause });
  }
}

async function importPlan(path: string): Promise<Plan> {
  const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(resolve(path)).href);
  const plan = module.plan ?? module.default;
  if (!isObject(plan)) throw new Error("it exports no plan: it needs an export named plan, or a default one");
  return plan as Plan;
}

function readJsonPlan(path: string): Plan {
  const schemas: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (!isObject(schemas)) throw new Error("it isn't a JSON object with a schema for each name");
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, wrapJsonSchema(name, schema)]));
}

/** Makes a schema that follows Standard Schema of a JSON Schema. */
function wrapJsonSchema(name: string, schema: unknown): StandardSchema {
  if (!isObject(schema)) throw new Error(`${JSON.stringify(name)} has no JSON Schema, which is an object`);
  // Its check compares each item with each other: a sender with one long list could keep the server busy for minutes.
  if (JSON.stringify(schema).includes('"uniqueItems":true')) {
    throw new Error(`${JSON.stringify(name)} must not use uniqueItems, which takes too long for what anyone may send`);
  }
  const validator = new Validator(schema as Schema, "2020-12");

  function validate(value: unknown): StandardResult {
    const { valid, errors } = validator.validate(value);
    return valid ? {} : { issues: [toIssue(errors.at(-1))] };
  }

  // JSON has no `undefined`: a step without properties is checked as one with an empty object.
  return {
    "~standard": {
      version: 1,
      vendor: "json-schema",
      validate: (value = {}) => {
        try {
          return validate(value);
        } catch (error) {
          // The validator writes names into URIs, which takes whole characters; a sender may send half of one.
          if (!(error instanceof URIError)) throw error;
          const { issues } = validate(toWellFormedNames(value));
          // A path through other names leads nowhere.
          return issues === undefined ? {} : { issues: issues.map(({ message }) => ({ message })) };
        }
      },
    },
  };
}

function toWellFormedNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toWellFormedNames);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, item]) => [name.toWellFormed(), toWellFormedNames(item)]);
  return Object.fromEntries(entries);
}

/** The last error is the innermost one. */
function toIssue(error: { readonly instanceLocation: string; readonly error: string } | undefined): StandardIssue {
  const { instanceLocation = "#", error: message = "the schema says no" } = error ?? {};
  const keys = decodeURI(instanceLocation).split("/").slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const missing = /^Instance does not have required property "(.*)"\.$/s.exec(message)?.[1];
  return { message, path: missing === undefined ? keys : [...keys, missing] };
}
