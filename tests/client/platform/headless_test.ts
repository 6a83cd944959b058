import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { runProcess } from "../../../scripts/support/process.ts";
import { createClient, type Environment } from "../../../src/client/mod.ts";
import { createHeadlessEnvironment } from "../../../src/client/platform/headless.ts";
import { assertInert } from "../../support/headless_report.ts";

const PROGRAM = fileURLToPath(new URL("../../support/headless_program.ts", import.meta.url));
const DENO_ARGS = ["run", "--no-prompt", "--no-lock", "--quiet", "--no-check"];
const OPTIONS = { env: { NO_COLOR: "1" }, isQuiet: true, timeoutMs: 20_000 };

Deno.test("Deno without permissions: the SDK is inert, and the process ends by itself", async () => {
  assertInert(await runProcess(Deno.execPath(), { ...OPTIONS, args: [...DENO_ARGS, PROGRAM] }));
});

Deno.test("Deno without permissions: mod.ts by itself runs and ends", async () => {
  const entry = fileURLToPath(new URL("../../../mod.ts", import.meta.url));

  const { code, output } = await runProcess(Deno.execPath(), { ...OPTIONS, args: [...DENO_ARGS, entry] });

  assertEquals({ code, output }, { code: 0, output: "" });
});

Deno.test("createClient() without a page keeps nothing of 100,000 calls, and reads nothing of what it's handed", async () => {
  const client = createClient({ apiKey: "pk" }, createHeadlessEnvironment());
  let reads = 0;
  const properties = {
    get secret() {
      return reads++;
    },
  };

  for (let i = 0; i < 100_000; i++) client.step("a", properties);
  client.identify("user-1", properties);

  assertEquals([await client.flush(), client.drops(), reads], [undefined, {}, 0]);
});

Deno.test("createClient() without a page misses nothing of an environment that has two members, whatever is called", async () => {
  const lines: string[] = [];
  const client = createClient(
    { apiKey: "pk", trackPageviews: true, maxBatchSize: 500 },
    { canCollect: false, log: (_level, message) => void lines.push(message) },
  );

  client.step("a", { n: 1 });
  client.identify("user-1", { plan: "pro" });
  client.page();
  for (const state of ["pending", "granted", "denied", "granted"] as const) client.setConsent(state);
  client.reset();
  await client.flush();
  client.close();
  await client.flush();

  // What failed for a member that is missing would be a warning.
  assertEquals(lines, ["[Vendor] maxBatchSize is capped to 100", "[Vendor] flush() ignored: call init() first"]);
});

Deno.test("createClient() without a page says under debug that nothing is collected", async () => {
  const lines: string[] = [];
  const environment: Environment = { canCollect: false, log: (_level, message) => void lines.push(message) };
  const client = createClient({ apiKey: "pk", debug: true }, environment);

  client.step("a");
  await client.flush();

  assertEquals(lines.filter((line) => line.includes("step")), ["[Vendor] step() ignored: nothing is collected"]);
});
