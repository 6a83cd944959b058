import { assertEquals } from "@std/assert";
import { prepareApplication } from "./driver/application.ts";
import { runOrThrow } from "./driver/run_or_throw.ts";
import { findFreePort } from "../support/free_port.ts";
import { startServer } from "./driver/server_process.ts";

const BUILD_LIMIT_MS = 120_000;

/** Each writes `dist/<name>/ingest.js`. */
const BUNDLERS = ["esbuild", "parcel", "rollup", "vite", "webpack", "wrangler"] as const;

/** Asks the bundle in place of a browser. */
const PREFLIGHT = `
  const { default: ingest } = await import(process.argv[1]);
  console.log((await ingest.fetch(new Request("https://ingest.example/v1/events", { method: "OPTIONS" }))).status);
`;

Deno.test("the ingest can be bundled where nobody has the client of NATS, and answers", async (t) => {
  const { directory, scripts } = await prepareApplication("ingest_bundles");
  const env = { NEXT_TELEMETRY_DISABLED: "1", WRANGLER_SEND_METRICS: "false", CI: "1" };
  const build = (script: string): Promise<string> =>
    runOrThrow("npm", { args: ["run", script], cwd: directory, env, timeoutMs: BUILD_LIMIT_MS });

  for (const bundler of BUNDLERS) {
    await t.step(bundler, async () => {
      await build(bundler);
      const args = ["--input-type=module", "--eval", PREFLIGHT, `./dist/${bundler}/ingest.js`];
      assertEquals(await runOrThrow("node", { args, cwd: directory }), "204\n");
    });
  }
  for (const script of ["next_turbopack", "next_webpack"]) {
    await t.step(script, async () => {
      await build(script);
      const command = scripts["start"] ?? "";
      const server = await startServer({ directory, command, settings: {}, port: findFreePort() });
      try {
        assertEquals((await fetch(`${server.origin}/v1/events`, { method: "OPTIONS" })).status, 204);
      } finally {
        await server.close();
      }
    });
  }
});
