import { assertEquals, assertRejects } from "@std/assert";
import { loadPlan } from "../../../../src/ingest/server/cli/plan_file.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";

const MODULE = `
  const text = { "~standard": { version: 1, vendor: "own", validate: ({ plan }) => plan ? {} : { issues: [{ message: "no" }] } } };
`;

async function withFile(name: string, text: string, use: (path: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${directory}/${name}`, text);
    await use(`${directory}/${name}`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function faultOf(name: string, text: string, runtime?: Parameters<typeof loadPlan>[1]): Promise<string> {
  let fault = "";
  await withFile(name, text, async (path) => {
    const error = await assertRejects(() => loadPlan(path, runtime), ServerFault);
    fault = error.message.replace(path, "PLAN");
  });
  return fault;
}

Deno.test("loadPlan() takes a module's plan, or its default, in TypeScript too", async () => {
  await withFile("plan.ts", `${MODULE} export const plan: object = { signup: text };`, async (path) => {
    assertEquals(Object.keys(await loadPlan(path)), ["signup"]);
  });
  await withFile("plan.mjs", `${MODULE} export default { login: text, logout: undefined };`, async (path) => {
    assertEquals(Object.keys(await loadPlan(path)), ["login", "logout"]);
  });
});

Deno.test("loadPlan() says where TypeScript can't be loaded, before it tries", async () => {
  const node20 = { versions: { node: "20.20.2" }, features: {} };
  const node22 = { versions: { node: "22.18.0" }, features: { typescript: "strip" } };
  const text = `${MODULE} export const plan: object = { signup: text };`;

  assertEquals(
    await faultOf("plan.ts", text, node20),
    "the plan PLAN is TypeScript, which Node loads from 22.18 on, and this is Node 20.20.2: give it as JavaScript",
  );
  await withFile("plan.ts", text, async (path) => {
    assertEquals(Object.keys(await loadPlan(path, node22)), ["signup"]);
  });
  await withFile("plan.mjs", `${MODULE} export default { login: text };`, async (path) => {
    assertEquals(Object.keys(await loadPlan(path, node20)), ["login"]);
  });
});

Deno.test("loadPlan() says what is wrong with a plan", async () => {
  assertEquals(
    await faultOf("plan.mjs", "export const steps = {};"),
    "the plan PLAN can't be used: it exports no plan: it needs an export named plan, or a default one",
  );
  assertEquals(
    await faultOf("plan.mjs", "export default { signup: { type: 'object' } };"),
    'the plan PLAN can\'t be used: "signup" in the plan is no schema that follows Standard Schema',
  );
});
