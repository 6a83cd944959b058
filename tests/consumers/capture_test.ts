import { findFreePort } from "../support/free_port.ts";
import { assertEquals, assertMatch } from "@std/assert";
import { runProcess } from "../../scripts/support/process.ts";
import { CHROMIUM_PATH } from "../browser/chromium.ts";
import { prepareApplication } from "./driver/application.ts";

/** Far beyond what a test run takes. */
const LIMIT_MS = 120_000;

/** A test runner as an application starts it. */
interface Runner {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What it prints of tests that passed, and of no other. */
  readonly passed: RegExp;
}

/** The program of a package. */
function node(...args: readonly string[]): Pick<Runner, "command" | "args"> {
  return { command: "node", args };
}

const RUNNERS: Readonly<Record<string, () => Runner>> = {
  "Vitest in Node, jsdom and happy-dom": () => ({
    ...node("node_modules/vitest/vitest.mjs", "run"),
    passed: /Tests\s+21 passed \(21\)/,
  }),
  "Jest, with ES modules in Node and CommonJS in jsdom": () => ({
    ...node("--experimental-vm-modules", "node_modules/jest/bin/jest.js", "--runInBand"),
    passed: /Tests:\s+3 passed, 3 total/,
  }),
  "node:test": () => ({ ...node("--test", "node/sign_up.test.js"), passed: /pass 2\n[^]*fail 0\n/ }),
  "Deno.test": () => ({
    command: Deno.execPath(),
    args: ["test", "--no-lock", "--node-modules-dir=manual", "--allow-read", "--allow-env", "deno/sign_up_test.js"],
    passed: /ok \| 2 passed \| 0 failed/,
  }),
  "Playwright": () => ({
    ...node("node_modules/@playwright/test/cli.js", "test"),
    env: { PORT: String(findFreePort()), CHROMIUM: CHROMIUM_PATH },
    passed: /\b1 passed/,
  }),
};

Deno.test("captureVendor() and the recipe for Playwright work from the package in test runners", async (t) => {
  const { directory } = await prepareApplication("capture");
  for (const [name, build] of Object.entries(RUNNERS)) {
    await t.step(name, async () => {
      const { command, args, env, passed } = build();
      const { code, output } = await runProcess(command, {
        args,
        cwd: directory,
        env: { NO_COLOR: "1", CI: "1", ...env },
        isQuiet: true,
        timeoutMs: LIMIT_MS,
      });
      assertEquals(code, 0, output);
      assertMatch(output, passed);
    });
  }
});
