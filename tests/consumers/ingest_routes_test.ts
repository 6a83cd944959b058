import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { FULL } from "../ingest/fixtures.ts";
import { prepareApplication } from "./driver/application.ts";
import { findNode } from "./driver/find_node.ts";
import { runOrThrow } from "./driver/run_or_throw.ts";
import { findFreePort } from "../support/free_port.ts";
import { startServer } from "./driver/server_process.ts";

const [KEY, SITE, SECRET] = ["pk_live_123", "https://shop.example", "sk_test_0123456789"] as const;

/** The ingest in a route of each, as docs/frameworks.md has it. */
const FIXTURES = { "Next.js": "ingest_next", SvelteKit: "ingest_sveltekit", Nuxt: "ingest_nuxt" } as const;

/** Asks the file of the recipe several times, and prints how often it failed and how many files of the folder are open. */
const ASK = `
  import { readdirSync, readlinkSync } from "node:fs";
  const { ingest } = await import("./src/lib/server/ingest.ts");
  let failures = 0;
  for (let turn = 0; turn < 3; turn++) await ingest(new Request("http://localhost/")).catch(() => failures += 1);
  const open = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync("/proc/self/fd/" + fd);
    } catch {
      return ""; // that of the list itself
    }
  });
  console.log(failures, open.filter((path) => path.startsWith(process.env.EVENTS_FOLDER)).length);
`;

Deno.test("the ingest in a route that can't start leaves no file open", async () => {
  const { directory } = await prepareApplication(FIXTURES.SvelteKit);
  const disk = await Deno.makeTempDir();
  try {
    const output = await runOrThrow(await findNode(), {
      args: ["--input-type=module", "-e", ASK],
      cwd: directory,
      env: { EVENTS_FOLDER: `${disk}/events`, REPORT_SECRET: "too short" },
    });
    assertMatch(output, /^3 0$/m);
  } finally {
    await Deno.remove(disk, { recursive: true });
  }
});

for (const [name, fixture] of Object.entries(FIXTURES)) {
  Deno.test(`${name} takes events in a route, opens no folder when it's built, and shows reports`, async () => {
    const { directory, scripts } = await prepareApplication(fixture);
    const built = [...Deno.readDirSync(directory)].filter(({ name }) => name === "events");
    const disk = await Deno.makeTempDir();
    const server = await startServer({
      directory,
      command: scripts["start"] ?? "",
      node: await findNode(),
      env: { EVENTS_FOLDER: `${disk}/events`, REPORT_SECRET: SECRET },
      settings: {},
      port: findFreePort(),
    });
    let output = "";
    try {
      const events = `${server.origin}/v1/events`;
      const headers = {
        "Content-Type": "application/json",
        "Origin": SITE,
        "X-API-Key": KEY,
        "X-Vendor-SDK-Version": "0.1.0",
      };
      const report = `${server.origin}/reports?view=steps&format=json&from=2026-01-01&to=2026-12-31`;

      const preflight = await fetch(events, { method: "OPTIONS", headers: { "Origin": SITE } });
      const answer = await fetch(events, { method: "POST", headers, body: JSON.stringify(FULL) });
      const text = await answer.text();
      const refused = await fetch(report);
      await refused.text();
      const shown = await fetch(report, { headers: { Authorization: `Bearer ${SECRET}` } });
      const steps = await shown.text();
      const person = await fetch(`${server.origin}/reports?view=person&format=json`, {
        method: "POST",
        headers: { Authorization: `Bearer ${SECRET}`, Origin: server.origin }, // as a browser sends a form
        body: new URLSearchParams({ userId: "user-1" }),
      });
      await person.text();

      assertEquals(built, []);
      assertEquals([preflight.status, answer.status], [204, 202], text);
      assertEquals([refused.status, shown.status, person.status], [401, 200, 200], steps);
      assertMatch(steps, /"Checkout started"/);
    } finally {
      output = await server.close();
      await Deno.remove(disk, { recursive: true });
    }
    assertNotMatch(output, /error/i);
  });
}
