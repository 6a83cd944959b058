import { assertEquals } from "@std/assert";
import { openDemoStore } from "../../../../src/ingest/server/cli/demo_command.ts";
import { startDemo } from "../../../../src/ingest/server/demo/run_demo.ts";

const FILES = { "index.html": "", "shop.css": "", "shop.js": "", "favicon.svg": "" };

Deno.test("startDemo() leads from localhost to the origin that its ingest knows", async () => {
  const demo = await startDemo({ port: 0, ingestPort: 0, files: FILES, visitsPerDay: 0, openStore: openDemoStore });
  try {
    const { port } = new URL(demo.site);
    const answers: (readonly [status: number, location: string | null])[] = [];
    for (const origin of [`http://localhost:${port}`, demo.site]) {
      const response = await fetch(`${origin}/teas?kind=green`, { redirect: "manual" });
      await response.text();
      answers.push([response.status, response.headers.get("Location")]);
    }

    assertEquals(answers, [[302, `${demo.site}/teas?kind=green`], [200, null]]);
  } finally {
    await demo.stop();
  }
});
