import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { DEMO_KEY } from "../../src/ingest/server/demo/demo_key.ts";
import { until } from "../cluster/traffic.ts";
import { runDemo, startDemo } from "./demo_process.ts";

Deno.test("demo --once exits 0 and shows what the folder holds", async () => {
  const { code, stdout, stderr } = await runDemo(["--once"]);

  assertEquals(code, 0, stdout + stderr);
  assertEquals(stderr, "");
  assertStringIncludes(stdout, "name        collection  user       visitor  session  page\n");
  assertStringIncludes(stdout, "basket_add  full        ada        V1       S1       /teas/sencha?ref=list\n");
});

Deno.test("demo --once keeps the folder it is given, and can use it again", async () => {
  const directory = await Deno.makeTempDir();
  const folder = `${directory}/events`;

  const first = await runDemo(["--once", "--folder", folder]);
  const second = await runDemo(["--once", `--folder=${folder}`]);

  assertEquals([first.code, second.code], [0, 0], first.stdout + second.stdout);
  assertEquals((await Deno.stat(`${folder}/tail.db`)).isFile, true);
  await Deno.remove(directory, { recursive: true });
});

Deno.test("demo --help shows the options, and an unknown one is refused in one line", async () => {
  const help = await runDemo(["--help"]);
  const unknown = await runDemo(["--open"]);

  assertEquals([help.code, help.stdout.includes("--ingest-port PORT")], [0, true]);
  assertEquals(unknown, { code: 2, stdout: "", stderr: "demo: Unknown option '--open', see --help\n" });
});

Deno.test("demo --cluster says in one line where nats-server comes from", async () => {
  const { code, stdout, stderr } = await runDemo(["--cluster"], { NATS_SERVER: "/nowhere/nats-server" });

  assertEquals({ code, stdout, stderr }, {
    code: 2,
    stdout: "",
    stderr: "demo: there is no nats-server at /nowhere/nats-server: apt-get install nats-server on Debian, or " +
      "https://github.com/nats-io/nats-server/releases; NATS_SERVER may name its path\n",
  });
});

Deno.test("demo says in one line that a port is in use, and what chooses another", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const reason = `demo: can't listen on 127.0.0.1 port ${port}: the port is in use; choose another with`;

  const shop = await runDemo(["--port", `${port}`, "--ingest-port", "0"]);
  const ingest = await runDemo(["--port", "0", "--ingest-port", `${port}`]);
  const once = await runDemo(["--once", "--ingest-port", `${port}`]);
  using other = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const both = await runDemo(["--port", `${port}`, "--ingest-port", `${other.addr.port}`]);

  assertEquals([shop.code, shop.stderr], [1, `${reason} --port\n`]);
  assertEquals([ingest.code, ingest.stderr], [1, `${reason} --ingest-port\n`]);
  assertEquals([both.code, both.stderr], [
    1,
    `${reason} --port; can't listen on 127.0.0.1 port ${other.addr.port}: the port is in use; choose another with ` +
    "--ingest-port\n",
  ]);
  assertEquals([once.code, once.stderr], [1, `demo: port ${port} is in use, choose another with --ingest-port\n`]);
});

Deno.test("demo --once says in one line that the folder can't be written", async () => {
  const directory = await Deno.makeTempDir();

  const { code, stderr } = await runDemo(["--once", "--folder", `${directory}/missing/events`]);

  assertEquals(code, 1);
  assertMatch(stderr, /^demo: the folder of events "[^"]+" can't be used: .+\n$/);
  await Deno.remove(directory);
});

Deno.test("demo serves the shop with the SDK in it, and the reports of its year", async () => {
  const demo = await startDemo();
  const page = await fetch(`${demo.site}/teas`);
  const script = await fetch(`${demo.site}/_demo/shop.js`);
  const output = await demo.until("One person: grace, alan.\n");
  const url = `${new URL(demo.endpoint).origin}/reports?view=goals&format=json`;
  // A busy machine counts the year for longer than a report waits.
  await until("the year is counted", async () => {
    const { status, body } = await fetch(url);
    await body?.cancel();
    return status === 200;
  });
  const { site, current, rows } = await (await fetch(url)).json();
  const start = await fetch(new URL("/", demo.endpoint));
  await start.text();

  assertMatch(
    output,
    /^A made-up year of 4\d{4} events is in the reports\. Two user IDs for One person: grace, alan\.$/m,
  );
  assertEquals([start.status, new URL(start.url).pathname], [200, "/reports"]);
  assertStringIncludes(await page.text(), `content="${demo.endpoint}"`);
  assertStringIncludes(await script.text(), "Missing required configuration");
  assertEquals([site, current.visitors > 300, rows.map(({ name }: { name: string }) => name)], [
    demo.site,
    true,
    ["Basket", "Order"],
  ]);
  await demo.end("SIGTERM");
});

Deno.test("demo shows what its ingest accepts, in the feed and in the terminal", async () => {
  const demo = await startDemo();
  const feed = await fetch(`${demo.site}/_demo/feed`);

  const answer = await fetch(demo.endpoint, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-API-Key": DEMO_KEY,
      "X-Vendor-SDK-Version": "0.1.0",
      Origin: demo.site,
    },
    body: JSON.stringify({
      type: "event",
      collection: "aggregate",
      batchId: crypto.randomUUID(),
      sentAt: new Date().toISOString(),
      events: [{
        id: crypto.randomUUID(),
        name: "$pageview",
        timestamp: new Date().toISOString(),
        context: { sdkName: "@vendor/sdk", sdkVersion: "0.1.0", pageUrl: `${demo.site}/teas` },
      }],
    }),
  });

  assertEquals([answer.status, await answer.json()], [202, { accepted: 1, duplicates: 0 }]);
  const output = await demo.until("aggregate  $pageview             -           -         -         /teas\n");
  await demo.end("SIGTERM");
  assertMatch(
    output,
    /\nFilling the reports [^\n]+\nA made-up year [^\n]+\n\ntime +kind [^\n]+\n\S+ +aggregate +\$pageview [^\n]+\n$/,
  );
  assertStringIncludes(await feed.text(), 'data: {"kind":"accepted"');
});

Deno.test("demo ends on Ctrl-C while a browser watches, frees its ports and removes what it stored", async () => {
  const demo = await startDemo();
  const feed = await fetch(`${demo.site}/_demo/feed`);

  const { code, stdout, stderr } = await demo.end("SIGINT");

  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  assertStringIncludes(stdout, "\nStopped.\n");
  await feed.text();
  Deno.listen({ hostname: "127.0.0.1", port: Number(new URL(demo.site).port) }).close();
  Deno.listen({ hostname: "127.0.0.1", port: Number(new URL(demo.endpoint).port) }).close();
  await assertRejects(() => Deno.stat(demo.directory), Deno.errors.NotFound);
});
