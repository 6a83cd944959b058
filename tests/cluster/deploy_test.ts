/**
 * The files of docs/deploy: held to the tools that read them, and their commands run, but without containers and systemd.
 *
 * @module
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { LoaderCounts } from "../../src/ingest/loader/loading.ts";
import { createLoadMetrics } from "../../src/ingest/server/ops/load_metrics.ts";
import { fileURLToPath } from "node:url";
import { runProcess } from "../../scripts/support/process.ts";
import { INGEST } from "../../scripts/package/packages.ts";
import { createFileSink } from "../../src/ingest/mod.ts";
import { FULL } from "../ingest/fixtures.ts";
import { startClickHouse } from "./clickhouse.ts";
import { type IngestProcessOptions, runIngest, type RunningIngest, startIngest } from "./ingest_process.ts";
import { until } from "./traffic.ts";
import { startLoadProcess } from "./load_process.ts";
import { findFreePort } from "../support/free_port.ts";
import { startCaddy, startNginxWith } from "./proxies.ts";
import { DIRECTORY, KEY_ARGS, MEMORY_ARGS, newFolder, prepareNodeWithFolder, testBoth, testOnce } from "./program.ts";

const FOLDER = fileURLToPath(new URL("../../docs/deploy/", import.meta.url));

const NATS_SERVER = Deno.env.get("NATS_SERVER") ?? "/usr/sbin/nats-server";

const [CADDY, PROMTOOL, DOCKER_COMPOSE, SYSTEMD_ANALYZE] = ["CADDY", "PROMTOOL", "DOCKER_COMPOSE", "SYSTEMD_ANALYZE"]
  .map((variable) => Deno.env.get(variable) ?? `/usr/bin/${variable.toLowerCase().replace("_", "-")}`);

function readFile(name: string): string {
  return Deno.readTextFileSync(FOLDER + name);
}

/** Runs a tool in the folder; returns what it prints, and throws where it finds a fault. */
async function runTool(command: string | undefined, ...args: readonly string[]): Promise<string> {
  const env = { CLICKHOUSE_PASSWORD: "a-password" };
  const { code, output } = await runProcess(command ?? "", { args, cwd: FOLDER, env, isQuiet: true });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")}:\n${output}`);
  return output;
}

/** Reads compose.yaml as its program understands it, in a form of its own. */
function readCompose(): Promise<string> {
  return runTool(DOCKER_COMPOSE, "--profile", "one", "--profile", "monitoring", "--profile", "road", "config");
}

/** Returns the command and the environment of a service. */
function readService(config: string, name: string): { readonly command: readonly string[]; readonly env: Variables } {
  const [, section = ""] = new RegExp(`^  ${name}:\n((?:    .*\n)*)`, "m").exec(config) ?? [];
  const [, command = ""] = /^ {4}command:\n((?: {4}- .*\n)*)/m.exec(section) ?? [];
  const [, environment = ""] = /^ {4}environment:\n((?: {6}.*\n)*)/m.exec(section) ?? [];
  return {
    command: matchAll(command, /^ {4}- (.*)$/gm),
    env: Object.fromEntries(
      [...environment.matchAll(/^ +(\w+): (.*)$/gm)].map(([, key = "", value = ""]) => [key, value]),
    ),
  };
}

type Variables = Readonly<Record<string, string>>;

function matchAll(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, found = ""]) => found);
}

/** Runs a script of the shell; returns what it prints. */
async function runScript(script: string): Promise<string> {
  const { code, output } = await runProcess("bash", { args: ["-euo", "pipefail", "-c", script], isQuiet: true });
  if (code !== 0) throw new Error(`${script}:\n${output}`);
  return output.trim();
}

Deno.test("docs/deploy: the container and its services are well-formed, and hold this version", async () => {
  await runTool("npx", "-y", "dockerfile-utils@0.16.3", "lint", "Dockerfile");
  const config = await readCompose();

  const { name, version, imports } = INGEST.source;
  const clients = ["@nats-io/jetstream", "@nats-io/transport-node", "@clickhouse/client"]
    .map((peer) => imports[peer]?.replace("npm:", ""));
  const install = readFile("Dockerfile").match(/@[\w/-]+@[\d.]+/g);
  assertEquals(install, [`${name}@${version}`, ...clients]);
  assertEquals(matchAll(config, /^ {2}([\w-]+):\n {4}\w/gm), [
    ...["clickhouse", "grafana", "ingest", "ingest-1", "ingest-2", "loader"],
    ...["nats-1", "nats-2", "nats-3", "prometheus", "prometheus-road"],
  ]);
  for (const path of matchAll(config, /- (\/\S+):\S+:ro$/gm)) assert(Deno.statSync(path), path);
});

Deno.test("docs/deploy: Prometheus takes its configuration, and the alerts fire as they should", async () => {
  await runTool(PROMTOOL, "check", "config", "prometheus.yml", "prometheus.road.yml");
  await runTool(PROMTOOL, "test", "rules", "alerts_test.yml");

  const alerts = matchAll(readFile("alerts.yml"), /^ +- alert: (\w+)$/gm);
  const tested = matchAll(readFile("alerts_test.yml"), /^ +alertname: (\w+)$/gm);
  assertEquals(alerts.filter((alert) => !tested.includes(alert)), []);
});

testBoth("has every metric that the dashboard and the alerts of docs/deploy name", async (options) => {
  const ingest = await startIngest([...MEMORY_ARGS], options);
  const answer = await fetch(`${ingest.origin}/metrics`);
  const ofLoader = createLoadMetrics({ counts: () => NOTHING_LOADED, countWaiting: () => Promise.resolve(0) });
  const texts = [await answer.text(), await ofLoader.metrics()];
  const metrics = new Set(matchAll(texts.join("\n"), /^# TYPE (\w+) /gm));
  await ingest.end();
  const dashboard: Dashboard = JSON.parse(readFile("grafana/dashboard.json"));
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const rules = expressions.map((expr, index) => ({
    record: `panel_${index}`,
    expr: expr.replaceAll("$__rate_interval", "1m"),
  }));
  const path = `${DIRECTORY}/dashboard_rules.yml`;
  await Deno.writeTextFile(path, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));

  await runTool(PROMTOOL, "check", "rules", path);

  const text = [...expressions, readFile("alerts.yml")].join("\n");
  const named = matchAll(text, /\b((?:vendor_ingest|vendor_load|process|nodejs)_\w+)/g).map((name) =>
    name.replace(/_bucket$/, "")
  );
  assertEquals([...new Set(named)].filter((name) => !metrics.has(name)), []);
  assert(expressions.length > 10 && named.length > 20);
});

const NOTHING_LOADED: LoaderCounts = { loaded: 0, blocks: 0, erased: 0, deadLetters: 0, purged: 0, failures: 0 };

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

/** Sends an event as a browser on the site of a key does, and returns the status of its answer. */
async function sendEvent({ endpoint }: RunningIngest, apiKey: string): Promise<number> {
  const headers = {
    "Content-Type": "application/json",
    "X-API-Key": apiKey,
    "X-Vendor-SDK-Version": "0.1.0",
    "Origin": "https://shop.example",
  };
  const answer = await fetch(endpoint, { method: "POST", headers, body: JSON.stringify(FULL) });
  await answer.body?.cancel();
  return answer.status;
}

/** Returns the arguments with which compose.yaml says to make a key. */
function readKeysCommand(): readonly string[] {
  const commands = matchAll(readFile("compose.yaml"), /run --rm .*(keys new .+)$/gm);
  assertEquals(new Set(commands).size, 1);
  return commands[0]?.split(" ") ?? [];
}

/** Returns the settings that every container of the image has. */
function readImageSettings(): Variables {
  const settings = readFile("Dockerfile").matchAll(/\b(INGEST_\w+)=(\S+)/g);
  return Object.fromEntries([...settings].map(([, name = "", value = ""]) => [name, value]));
}

/** Makes a key with that command; returns it. */
async function makeKey(env: Variables, options: IngestProcessOptions): Promise<string> {
  const { code, stdout, stderr } = await runIngest(readKeysCommand(), { ...options, env });
  assertEquals([code, stderr.replace(/^.*Experimental[^]*$/, "")], [0, ""]);
  return /pk_\w+/.exec(stdout)?.[0] ?? "";
}

Deno.test("docs/deploy: the container's commands make a key, take events, and tell whether it's healthy", async () => {
  const options = await prepareNodeWithFolder();
  const [node = "", program = ""] = [options.launcher?.command, options.launcher?.args[0]];
  const [data, metricsPort] = [await Deno.makeTempDir({ dir: DIRECTORY }), String(findFreePort())];
  const adapt = (text: string): string =>
    text.replaceAll("/data", data).replaceAll("9464", metricsPort).replace(/^0\.0\.0\.0$/, "127.0.0.1");
  const dockerfile = readFile("Dockerfile");
  const settings: Variables = { ...readImageSettings(), ...readService(await readCompose(), "ingest").env };
  const env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, adapt(value)]));
  const [, check = "[]"] = /^HEALTHCHECK .*\n\s+CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const isHealthy = async (): Promise<boolean> =>
    (await runProcess(node, { args: JSON.parse(check).slice(1).map(adapt), isQuiet: true })).code === 0;

  assertEquals(JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? "[]"), [
    "node",
    "/app/node_modules/@vendor/ingest/bin/ingest.mjs",
  ]);
  assert(program.endsWith("/ingest.mjs"));
  const apiKey = await makeKey(env, options);
  const ingest = await startIngest([], { ...options, env });
  const running = [await sendEvent(ingest, apiKey), await isHealthy()];
  const { code } = await ingest.end("SIGTERM");

  assertEquals([running, code, await isHealthy()], [[202, true], 0, false]);
  assertEquals([...Deno.readDirSync(data)].map(({ name }) => name).toSorted(), ["events", "keys.json"]);
});

Deno.test("docs/deploy: the ingest runs where it may write to its data alone", async () => {
  const data = await Deno.makeTempDir({ dir: DIRECTORY });
  const env = { INGEST_SINK: `file:${data}/events`, INGEST_KEYS_FILE: `${data}/keys.json` };
  const apiKey = await makeKey(env, {});
  const launcher = {
    command: Deno.execPath(),
    args: [
      ...["run", "--no-prompt", "--allow-net", "--allow-env", "--allow-read", "--allow-sys", `--allow-write=${data}`],
      ...["--no-lock", "--import-map", "tests/offline/import_map.json", "src/ingest/server/bin.ts"],
    ],
  };

  const ingest = await startIngest([], { launcher, env });
  const status = await sendEvent(ingest, apiKey);
  const { code } = await ingest.end();

  assertEquals([status, code], [202, 0]);
});

Deno.test("docs/deploy: a new folder keeps 13 months, in a container and with systemd", async () => {
  const config = await readCompose();
  const [, ofUnit] = /^Environment=INGEST_KEEP=(.*)$/m.exec(readFile("vendor-ingest.service")) ?? [];

  const kept = [
    readImageSettings().INGEST_KEEP,
    ...["ingest", "loader"].map((name) => readService(config, name).env.INGEST_KEEP),
    ofUnit,
  ];
  assertEquals(kept, Array(4).fill("395d"));
});

Deno.test("docs/deploy: systemd takes the unit, and finds little that it could do", async () => {
  const path = `${DIRECTORY}/vendor-ingest.service`;
  // Whatever is there: verify wants a program that can be run.
  await Deno.writeTextFile(path, readFile("vendor-ingest.service").replace("/usr/bin/node ", "/bin/true "));

  assertEquals(await runTool(SYSTEMD_ANALYZE, "verify", path), "");
  const security = await runTool(SYSTEMD_ANALYZE, "security", "--offline=true", "--no-pager", path);

  const [, exposure = "10"] = /Overall exposure level for .*: ([\d.]+)/.exec(security) ?? [];
  assert(Number(exposure) < 2, exposure);
});

Deno.test("docs/deploy: systemd takes the timers and what they start", async () => {
  const names = ["backup.service", "backup.timer", "report.service", "report.timer"].map((end) =>
    `vendor-ingest-${end}`
  );
  for (const name of names) {
    await Deno.writeTextFile(`${DIRECTORY}/${name}`, readFile(name).replace("/usr/bin/node ", "/bin/true "));
  }

  assertEquals(await runTool(SYSTEMD_ANALYZE, "verify", ...names.map((name) => `${DIRECTORY}/${name}`)), "");
});

Deno.test("docs/deploy: the nightly backup copies the events and the keys", async () => {
  const { launcher } = await prepareNodeWithFolder();
  const state = await Deno.makeTempDir({ dir: DIRECTORY });
  await Deno.mkdir(`${state}/vendor-ingest-backup`);
  await Deno.mkdir(`${state}/vendor-ingest`);
  await Deno.writeTextFile(`${state}/vendor-ingest/keys.json`, "{}");
  await (await createFileSink({ path: `${state}/vendor-ingest/events` })).close();
  const program = [launcher?.command, ...launcher?.args ?? []].join(" ");

  for (const [, command = ""] of readFile("vendor-ingest-backup.service").matchAll(/^ExecStart=(.*)$/gm)) {
    await runScript(command.replace(/^\S+ \S+\/\.bin\/vendor-ingest/, program).replaceAll("/var/lib", state));
  }

  const copies = [...Deno.readDirSync(`${state}/vendor-ingest-backup/events`)].map(({ name }) => name).sort();
  assertEquals(copies, ["keys.json", "tail.db"]);
});

Deno.test("docs/deploy: the unit's commands take events, and read the keys again", async () => {
  const options = await prepareNodeWithFolder();
  const [state, unit] = [await Deno.makeTempDir({ dir: DIRECTORY }), readFile("vendor-ingest.service")];
  const settings = [...unit.matchAll(/^Environment=(INGEST_\w+)=(.*)$/gm)];
  const env = Object.fromEntries(
    settings.map(([, name = "", value = ""]) => [
      name,
      value.replace("/var/lib/vendor-ingest", state).replace("9464", String(findFreePort())),
    ]),
  );

  const apiKey = await makeKey(env, options);
  const ingest = await startIngest([], { ...options, env });
  const [, reload = ""] = /^ExecReload=(.*)$/m.exec(unit) ?? [];
  await runScript(reload.replace("$MAINPID", String(ingest.pid)));
  await ingest.until('"keys read again"');
  const status = await sendEvent(ingest, apiKey);
  const { code } = await ingest.end("SIGTERM");

  const [, folder, name] = /npm install --prefix (\/opt\/vendor-ingest) (\S+)$/m.exec(readFile("../deployment.md")) ??
    [];
  assertStringIncludes(unit, `\nExecStart=/usr/bin/node ${folder}/node_modules/${name}/bin/ingest.mjs\n`);
  assertEquals([status, code], [202, 0]);
});

Deno.test("docs/deploy: the commands of the whole road store an event once, and report it", async () => {
  const directory = await Deno.makeTempDir({ dir: DIRECTORY });
  const config = await readCompose();
  const clickHouse = await startClickHouse();
  await clickHouse.run("default", "CREATE DATABASE vendor");
  const metricsPort = String(findFreePort());
  const names = ["nats-1", "nats-2", "nats-3"];
  const nodes = names.map((name) => ({ name, port: findFreePort(), routePort: findFreePort() }));
  /** Puts this machine in the place of the services' names. */
  const adapt = (text: string): string =>
    nodes.reduce(
      (adapted, { name, port, routePort }) =>
        adapted.replaceAll(`${name}:4222`, `127.0.0.1:${port}`).replaceAll(`${name}:6222`, `127.0.0.1:${routePort}`),
      text.replaceAll("http://clickhouse:8123", clickHouse.url).replaceAll("/data", directory)
        .replace(/^9464$/, metricsPort).replace(/^0\.0\.0\.0$/, "127.0.0.1"),
    );
  const adaptAll = (env: Variables): Variables =>
    Object.fromEntries(Object.entries(env).map(([name, value]) => [name, adapt(value)]));
  // Debian's is older than the setting.
  const [, minor] = (await runScript(`${NATS_SERVER} --version`)).match(/v2\.(\d+)/) ?? [];
  const knowsSync = Number(minor) >= 10;
  const servers = nodes.map(({ name, port, routePort }) => {
    const file = `${directory}/${name}.conf`;
    const text = adapt(readFile("nats.conf")).replace("port: 4222", `listen: "127.0.0.1:${port}"`)
      .replace("http: 8222", "").replace("0.0.0.0:6222", `127.0.0.1:${routePort}`)
      .replace(/^ *sync_interval: always\n/m, knowsSync ? "$&" : "")
      .replace(`store_dir: ${directory}`, `store_dir: "${directory}/${name}"`);
    Deno.writeTextFileSync(file, text);
    const args = readService(config, name).command.map((arg) => arg.replace("/etc/nats/nats.conf", file));
    return new Deno.Command(NATS_SERVER, { args, stdout: "null", stderr: "null" }).spawn();
  });
  const [loader, one, two] = ["loader", "ingest-1", "ingest-2"].map((name) => readService(config, name));

  const { stdout } = await runIngest(readKeysCommand(), { env: adaptAll(one?.env ?? {}) });
  const [apiKey = "", secret = ""] = stdout.match(/[ps]k_\w+/g) ?? [];
  const loading = await startLoadProcess((loader?.command ?? []).slice(1).map(adapt), {
    env: adaptAll({ ...readImageSettings(), ...loader?.env }),
  });
  const ingests = await Promise.all(
    [one, two].map((service) => startIngest([], { env: adaptAll(service?.env ?? {}) })),
  );
  const statuses: number[] = [];
  for (const ingest of ingests) statuses.push(await sendEvent(ingest, apiKey));
  const counts: unknown[] = [];
  for (const { origin } of ingests) {
    await until("the event is reported", async () => {
      const query = "view=steps&format=json";
      const answer = await fetch(`${origin}/reports?${query}`, { headers: { Authorization: `Bearer ${secret}` } });
      const { rows = [] } = await answer.json();
      if (rows.length > 0) counts.push(rows);
      return rows.length > 0;
    });
  }
  const health = await (await fetch(`http://127.0.0.1:${metricsPort}/healthz`)).text();
  await Promise.all([...ingests.map((ingest) => ingest.end()), loading.end()]);
  for (const server of servers) server.kill("SIGTERM");
  await Promise.all(servers.map(({ status }) => status));
  await clickHouse.stop();

  assertEquals([statuses, health], [[202, 202], "ok\n"]);
  assertEquals(counts, [1, 2].map(() => [{ name: "Checkout started", count: 1, visitors: 1, before: null }]));
});

const SECRET = "sk_test_0123456789";

/** Asks for a report from an address of this machine; returns the status. */
function askFrom(
  address: string,
  { port, secret }: { readonly port: number; readonly secret: string },
): Promise<string> {
  // Written by whoever sends: it is to change nothing.
  const forged = "-H 'X-Forwarded-For: 203.0.113.9'";
  const url = `http://127.0.0.1:${port}/reports`;
  return runScript(`curl -s -o /dev/null -w '%{http_code}' --interface ${address} ${forged} -u :${secret} ${url}`);
}

for (
  const { name, start } of [
    { name: "nginx", start: (origin: string) => startNginxWith(readFile("nginx.conf"), origin) },
    {
      name: "Caddy",
      start: (origin: string) => startCaddy({ program: CADDY ?? "", file: readFile("Caddyfile"), origin }),
    },
  ]
) {
  Deno.test(`docs/deploy's ${name} passes on no country that a sender names`, async () => {
    const named: (string | null)[] = [];
    await using ingest = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, ({ headers }) => {
      named.push(headers.get("CF-IPCountry"), headers.get("X-API-Key"));
      return new Response();
    });
    await using proxy = await start(`http://127.0.0.1:${ingest.addr.port}`);

    const headers = { "CF-IPCountry": "DE", "X-API-Key": "pk_test_1" };
    const answer = await fetch(`http://127.0.0.1:${proxy.port}/events`, { method: "POST", headers, body: "{}" });
    await answer.body?.cancel();

    assertEquals(named, [null, "pk_test_1"]);
  });

  testOnce(
    `takes events at a path of the site behind docs/deploy's ${name}, and knows who asks`,
    async (options) => {
      const env = { INGEST_REPORT_SECRET: SECRET };
      const sink = ["--sink", `file:${newFolder()}`, "--trust-proxy", "127.0.0.1"];
      const ingest = await startIngest([...KEY_ARGS, ...sink], { ...options, env });
      await using proxy = await start(ingest.origin);
      const { port } = proxy;

      const endpoint = `http://127.0.0.1:${port}/events`;
      const tooLarge = await fetch(endpoint, {
        method: "POST",
        headers: {
          "X-API-Key": "pk_test_1",
          "Origin": "https://shop.example",
          "Content-Type": "application/json",
          "X-Vendor-SDK-Version": "1",
        },
        body: "x".repeat(1_900_000),
      });
      const statuses = [
        await sendEvent({ ...ingest, endpoint }, "pk_test_1"),
        (await tooLarge.json()).error.code,
        await (await fetch(`http://127.0.0.1:${port}/metrics`)).text().then((text) => text.includes("vendor_ingest")),
      ];
      for (let count = 0; count < 10; count++) await askFrom("127.0.0.2", { port, secret: "sk_wrong_0123456789" });
      const locked = await askFrom("127.0.0.2", { port, secret: SECRET });
      const other = await askFrom("127.0.0.3", { port, secret: SECRET });
      const logged = proxy.readLog();
      await ingest.end();

      assertEquals(statuses, [202, "body_too_large", false]);
      assertEquals([locked, other], ["429", "200"]);
      assertEquals(["/events", "/reports"].filter((path) => logged.includes(path)), []);
      // Whatever else is asked for is logged.
      assertEquals(logged.includes("/metrics"), name === "nginx");
    },
  );
}
