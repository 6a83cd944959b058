import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { runProcess } from "../scripts/process.ts";
import { createClient } from "../src/client.ts";
import { createHeadlessEnvironment } from "../src/environment/headless.ts";
import { assertInert } from "./support/headless_report.ts";

const PROGRAM = fileURLToPath(new URL("./support/headless_program.ts", import.meta.url));

Deno.test("Deno without permissions: the SDK is inert, and the process ends by itself", async () => {
  const result = await runProcess(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-lock", "--quiet", "--no-check", PROGRAM],
    env: { NO_COLOR: "1" },
    isQuiet: true,
    timeoutMs: 20_000,
  });

  assertInert(result);
});

Deno.test("Deno without permissions: mod.ts by itself runs and ends", async () => {
  const { code, output } = await runProcess(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-lock",
      "--quiet",
      "--no-check",
      fileURLToPath(new URL("../mod.ts", import.meta.url)),
    ],
    isQuiet: true,
    timeoutMs: 20_000,
  });

  assertEquals({ code, output }, { code: 0, output: "" });
});

Deno.test("createClient() without a page keeps nothing of 100,000 calls", async () => {
  const client = createClient({ apiKey: "pk" }, createHeadlessEnvironment());

  for (let i = 0; i < 100_000; i++) client.step("a", { i });

  assertEquals(client.drops(), {});
  assertEquals(await client.flush(), undefined);
  client.close();
});

Deno.test("createClient() without a page doesn't read what it is handed", () => {
  const client = createClient({ apiKey: "pk" }, createHeadlessEnvironment());
  let isRead = false;
  const properties = {
    get secret() {
      isRead = true;
      return 1;
    },
  };

  client.step("a", properties);
  client.identify("user-1", properties);

  assertEquals(isRead, false);
  client.close();
});
