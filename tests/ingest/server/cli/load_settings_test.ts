import { assertEquals, assertThrows } from "@std/assert";
import { type LoadSettings, parseLoadSettings } from "../../../../src/ingest/server/cli/load_settings.ts";
import { parseSettings } from "../../../../src/ingest/server/cli/settings.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";

const FROM = ["--from", "nats://a:4222,b:4222"];

function parse(args: readonly string[], variables: Readonly<Record<string, string>> = {}): LoadSettings {
  const settings = parseLoadSettings(args, variables);
  if (settings === "help") throw new Error("it shows its help");
  return settings;
}

function faultOf(args: readonly string[]): string {
  return assertThrows(() => parse(args), ServerFault).message;
}

Deno.test("parseLoadSettings() has defaults for all but where from and where to", () => {
  assertEquals(parse([...FROM, "--to", "clickhouse:http://localhost:8123"]), {
    from: { kind: "nats", servers: ["a:4222", "b:4222"], stream: "VENDOR_EVENTS", consumer: "vendor_loader" },
    to: { url: "http://localhost:8123" },
    maxBlockEvents: 20_000,
    purgeAfterMs: 3_600_000,
    keepErasuresDays: 395,
    graceMs: 10_000,
    logLevel: "info",
    secrets: [],
  });
});

Deno.test("parseLoadSettings() knows where from and where to", () => {
  const variables = { INGEST_CLICKHOUSE_PASSWORD: "p", INGEST_NATS_TOKEN: "t" };
  const ofCluster = ["--clickhouse-user", "u", "--clickhouse-database", "d", "--clickhouse-cluster", "c"];
  const clickHouse = parse([...FROM, "--to", "clickhouse:https://ch:8443", ...ofCluster], variables);

  assertEquals(parse(["--from", "file:a", "--to", "clickhouse:http://ch"]).from, { kind: "file", path: "a" });
  assertEquals(clickHouse.to, { url: "https://ch:8443", user: "u", password: "p", database: "d", cluster: "c" });
  assertEquals(clickHouse.secrets, ["t", "p"]);
});

Deno.test("parseLoadSettings() shows metrics at a port of their own", () => {
  const metricsOf = (...args: string[]) => parse([...FROM, "--to", "clickhouse:http://ch", ...args]).metrics;

  assertEquals(metricsOf(), undefined);
  assertEquals(metricsOf("--metrics-port", "9464"), { host: "127.0.0.1", port: 9464 });
  assertEquals(metricsOf("--metrics-port", "0", "--metrics-host", "::"), { host: "::", port: 0 });
});

Deno.test("parseLoadSettings() reads the ages", () => {
  const { keepDays, keepErasuresDays } = parse([...FROM, "--to", "clickhouse:http://ch", "--keep", "30d"], {
    INGEST_KEEP_ERASURES: "60d",
  });

  assertEquals([keepDays, keepErasuresDays], [30, 60]);
  assertEquals(
    faultOf([...FROM, "--to", "clickhouse:http://ch", "--keep", "7d"]),
    'keep must be at least 8 days, such as 395d, not "7d"',
  );
});

Deno.test("parseLoadSettings() says in one line what is wrong", () => {
  assertEquals(parseLoadSettings(["--help"], {}), "help");
  assertEquals(faultOf(["--no-such"]), "Unknown option '--no-such', see --help");
  assertEquals(faultOf([]), "load needs --from: see load --help");
  assertEquals(faultOf(FROM), "load needs --to: see load --help");
  assertEquals(
    faultOf(["--from", "kafka:a", "--to", "clickhouse:http://ch"]),
    "from must be nats:SERVER,SERVER or file:FOLDER",
  );
  assertEquals(
    faultOf(["--from", "file:a", "--to", "clickhouse:http://ch", "--keep", "30d"]),
    "keep is for a loader: a copy deletes nothing",
  );
  for (const to of ["file:a", "clickhouse:a", "clickhouse:http://u:secret@a", "clickhouse:ftp://a"]) {
    assertEquals(
      faultOf([...FROM, "--to", to]),
      "to must be clickhouse:URL, such as clickhouse:http://localhost:8123",
    );
  }
  assertEquals(
    faultOf(["--from", "nats:u:secret@a", "--to", "clickhouse:http://ch"]),
    "from nats: must list servers as host:port, split by commas, without user or password",
  );
});

Deno.test("parseSettings() takes a ClickHouse for reports", () => {
  const args = ["--key", "pk_1=any", "--reports", "clickhouse:http://ch:8123", "--clickhouse-user", "reports"];
  const settings = parseSettings(args, {});

  assertEquals(typeof settings === "object" && settings.reports, { url: "http://ch:8123", user: "reports" });
});
