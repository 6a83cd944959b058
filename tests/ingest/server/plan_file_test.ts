import { assertEquals, assertRejects } from "@std/assert";
import { createPlanCheck } from "../../../src/plan/plan_check.ts";
import { loadPlan } from "../../../src/ingest/server/plan_file.ts";
import { ServerFault } from "../../../src/ingest/server/server_fault.ts";

const SIGNUP = {
  type: "object",
  properties: { plan: { enum: ["free", "pro"] }, "coupon/code": { type: "object", required: ["text"] } },
  required: ["plan"],
  additionalProperties: false,
};

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

Deno.test("loadPlan() reads JSON Schemas by name", () =>
  withFile("plan.json", JSON.stringify({ signup: SIGNUP, logout: { maxProperties: 0 } }), async (path) => {
    const check = createPlanCheck(await loadPlan(path));
    const kindOf = (name: string, properties?: Record<string, unknown>): string | undefined =>
      check({ name, ...(properties && { properties }) })?.kind;

    assertEquals(kindOf("signup", { plan: "pro" }), undefined);
    assertEquals(kindOf("signup", { plan: "gold" }), "invalid");
    assertEquals(kindOf("signup", { plan: "pro", colour: "green" }), "invalid");
    assertEquals(kindOf("signup"), "missing");
    assertEquals(kindOf("signup", { plan: "pro", "coupon/code": {} }), "missing");
    assertEquals(kindOf("signup", { plan: "pro", "coupon/code": 1 }), "invalid");
    assertEquals(kindOf("logout"), undefined);
    assertEquals(kindOf("logout", { at: "noon" }), "invalid");
    assertEquals(kindOf("signp"), "unknown");
    assertEquals(kindOf("signup", { plan: "pro", "\ud800": 1 }), "invalid");
    assertEquals(kindOf("signup", { plan: "pro", "coupon/code": { text: [{ "\udc00": 1 }] } }), undefined);
  }));

Deno.test("loadPlan() refuses uniqueItems, by which a sender could keep the server busy", async () => {
  const text = JSON.stringify({ signup: { properties: { tags: { type: "array", uniqueItems: true } } } });

  const fault = await faultOf("plan.json", text);

  assertEquals(fault.slice(0, fault.indexOf(",")), 'the plan PLAN can\'t be used: "signup" must not use uniqueItems');
});

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
    "the plan PLAN is TypeScript, which Node loads from 22.18 on, and this is Node 20.20.2: give it as JavaScript, " +
      "or as JSON Schema in a .json file",
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
  assertEquals(
    await faultOf("plan.json", "[]"),
    "the plan PLAN can't be used: it isn't a JSON object with a schema for each name",
  );
  assertEquals(
    await faultOf("plan.json", '{ "signup": "string" }'),
    'the plan PLAN can\'t be used: "signup" has no JSON Schema, which is an object',
  );
});
