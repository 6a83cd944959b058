import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { createPlanCheck, type Plan } from "@vendor/sdk/contract";
import { isObject } from "../../contract/values.ts";
import { describeError } from "../../platform/describe_error.ts";
import { ServerFault } from "../ops/server_fault.ts";

/** The name and the version of a runtime. */
interface RuntimeInfo {
  readonly versions: Readonly<Record<string, string | undefined>>;
  readonly features: { readonly typescript?: unknown };
}

/**
 * Loads a plan: a module whose `plan` or `default` holds schemas that follow Standard Schema.
 *
 * @throws {ServerFault} For a file that can't be read, holds no plan, or is TypeScript that the runtime can't load.
 */
export async function loadPlan(path: string, runtime: RuntimeInfo = process): Promise<Plan> {
  const isTypeScript = /\.[cm]?ts$/.test(path);
  // Deno and Bun load TypeScript, and say nothing of it here.
  const { deno, bun, node } = runtime.versions;
  if (isTypeScript && !deno && !bun && !runtime.features.typescript) {
    throw new ServerFault(
      `the plan ${path} is TypeScript, which Node loads from 22.18 on, and this is Node ${node}: give it as JavaScript`,
    );
  }
  try {
    const plan = await importPlan(path);
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
