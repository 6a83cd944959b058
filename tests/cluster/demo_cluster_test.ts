/**
 * `deno task demo --cluster` in short, as a user runs it.
 *
 * @module
 */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";
import { runDemo, startDemoProcess } from "../demo/demo_process.ts";
import { startClickHouse } from "./clickhouse.ts";

Deno.test("demo --cluster kills one of each under load, and shows that nothing is lost or counted twice", async () => {
  const { code, stdout, stderr } = await runDemo(["--cluster", "--seconds", "8"]);

  console.log(stdout);
  assertEquals([code, stderr], [0, ""], stdout);
  const killed = [...stdout.matchAll(/kill -9 +(loader|nats-server|ingest|ClickHouse)\b.*, exit code 137:/g)];
  assertEquals(killed.map(([, name]) => name), ["loader", "nats-server", "ingest", "ClickHouse"]);
  const names = ["sent", "acknowledged", "stored", "reported", "lost", "counted twice"];
  const counts = names.map((name) => new RegExp(`^${name} +([\\d,]+)`, "m").exec(stdout)?.[1]);
  const [sent = ""] = counts;
  assert(Number(sent.replaceAll(",", "")) > 1_000, sent);
  assertEquals(counts, [sent, sent, sent, sent, "0", "0"]);
  assertIsRemoved(stdout);
});

Deno.test("demo --cluster on a ClickHouse of the user: a Ctrl-C ends everything, and drops the database", async () => {
  const clickHouse = await startClickHouse();
  const demo = startDemoProcess(["--cluster", "--clickhouse", clickHouse.url]);
  const listDatabases = async (): Promise<string> =>
    JSON.stringify(await clickHouse.select("default", "SELECT name FROM system.databases"));

  const start = await demo.until("back after");
  const [, database = "none"] = /database (\w+)/.exec(start) ?? [];
  const before = await listDatabases();
  const { code, stdout, stderr } = await demo.end("SIGINT");
  const after = await listDatabases();
  await clickHouse.stop();

  assertEquals([code, stderr], [130, ""]);
  assertStringIncludes(before, database);
  assertEquals(after.includes(database), false, after);
  assertIsRemoved(stdout);
});

/** Asserts that the folder is gone, and no process has it or one of the ports. */
function assertIsRemoved(stdout: string): void {
  const [, folder = ""] = /Files +(\S+),/.exec(stdout) ?? [];
  assertMatch(folder, /vendor-demo-/);
  assertEquals(existsSync(folder), false);
  for (const [, port] of stdout.matchAll(/Ingest \d +http:\/\/127\.0\.0\.1:(\d+)/g)) {
    Deno.listen({ hostname: "127.0.0.1", port: Number(port) }).close();
  }
  const commands = [...Deno.readDirSync("/proc")].filter(({ name }) => /^\d+$/.test(name)).map(({ name }) => {
    try {
      return Deno.readTextFileSync(`/proc/${name}/cmdline`);
    } catch {
      return ""; // it has ended meanwhile
    }
  });
  assertEquals(commands.filter((command) => command.includes(folder)), []);
}
