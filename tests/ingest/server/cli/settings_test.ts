import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";
import type { ServerKey } from "../../../../src/ingest/server/cli/keys_file.ts";
import { parseSettings, type Settings } from "../../../../src/ingest/server/cli/settings.ts";

const KEY_ARGS = ["--key", "pk_1=https://shop.example"] as const;

function parse(args: readonly string[], variables: Record<string, string> = {}): Settings {
  const command = parseSettings(args, variables);
  if (typeof command === "string") throw new Error(`${command} was asked for`);
  return command;
}

function withConfig(config: unknown, use: (path: string) => void): void {
  const path = Deno.makeTempFileSync({ suffix: ".json" });
  try {
    Deno.writeTextFileSync(path, typeof config === "string" ? config : JSON.stringify(config));
    use(path);
  } finally {
    Deno.removeSync(path);
  }
}

function faultOf(args: readonly string[], variables: Record<string, string> = {}): string {
  return assertThrows(() => parseSettings(args, variables), ServerFault).message;
}

Deno.test("parseSettings() needs nothing but a key", () => {
  assertEquals(parse(KEY_ARGS), {
    host: "127.0.0.1",
    port: 8080,
    path: "/v1/events",
    keys: [{ apiKey: "pk_1", origins: ["https://shop.example"] }],
    sink: { kind: "file", path: "events" },
    keepErasuresDays: 395,
    planMode: "count",
    maxPending: 256,
    requestTimeoutMs: 25_000,
    trustedProxies: [],
    graceMs: 10_000,
    logLevel: "info",
    secrets: ["pk_1"],
  });
});

Deno.test("parseSettings() prefers the command line to the environment, and that to the file", () => {
  withConfig({ port: 1, host: "file", path: "/file", keys: [{ apiKey: "pk_file", origins: "any" }] }, (path) => {
    const settings = parse(["--port", "3", "--config", path], { INGEST_PORT: "2", INGEST_HOST: "env" });

    assertEquals([settings.port, settings.host, settings.path], [3, "env", "/file"]);
    assertEquals(settings.keys, [{ apiKey: "pk_file", origins: "any" }]);
  });
});

Deno.test("parseSettings() takes the ages of what is deleted", () => {
  const settings = parse([...KEY_ARGS, "--keep", "395d"], { INGEST_KEEP_ERASURES: "8d" });

  assertEquals([settings.keepDays, settings.keepErasuresDays], [395, 8]);
  assertEquals(faultOf([...KEY_ARGS, "--keep", "7d"]), 'keep must be at least 8 days, such as 395d, not "7d"');
  assertEquals(
    faultOf([...KEY_ARGS, "--keep-erasures", "1y"]),
    'keep-erasures must be at least 8 days, such as 395d, not "1y"',
  );
  assertEquals(parse([...KEY_ARGS, "--keep", "9d", "--sink", "file:events/"]).sink, { kind: "file", path: "events/" });
  for (const sink of ["memory", "nats:a"]) {
    assertEquals(
      faultOf([...KEY_ARGS, "--keep", "9d", "--sink", sink]),
      "keep is for a folder of events: the sink has no ages",
    );
  }
});

Deno.test("parseSettings() takes several keys from each source", () => {
  const one: ServerKey = { apiKey: "a=b", origins: ["https://a.example", "https://b.example"] };
  const other: ServerKey = { apiKey: "c", origins: "any" };
  const named: ServerKey = {
    ...one,
    name: "shop",
    secretKey: "sk_0123456789abcdef",
    rateLimit: { requestsPerSecond: 5, burst: 20 },
    pageviewAllowance: 10_000,
  };

  assertEquals(parse(["--key", "a=b=https://a.example,https://b.example", "--key=c=any"]).keys, [one, other]);
  assertEquals(parse([], { INGEST_KEYS: " a=b=https://a.example,https://b.example c=any\n" }).keys, [one, other]);
  withConfig({ keys: [named, other] }, (path) => {
    assertEquals(parse([], { INGEST_CONFIG: path }).keys, [named, other]);
  });
});

Deno.test("parseSettings() takes a name in front of a key", () => {
  assertEquals(parse(["--key", "shop:pk_1=https://a.example", "--key", "pk_2=any"]).keys, [
    { apiKey: "pk_1", name: "shop", origins: ["https://a.example"] },
    { apiKey: "pk_2", origins: "any" },
  ]);
  assertEquals(faultOf(["--key", "a:pk_1=any", "--key", "a:pk_2=any"]), "keys[1].name is listed twice");
});

Deno.test("parseSettings() takes the keys of a file that aren't revoked", () => {
  const [shop, old] = ["shop", "old"].map((name) => ({ apiKey: `pk_${name}`, name, origins: "any" as const }));

  withConfig({ keys: [shop, { ...old, revokedAt: "2026-11-23T00:00:00.000Z" }] }, (path) => {
    assertEquals([parse(["--keys-file", path]).keys, parse([], { INGEST_KEYS_FILE: path }).keysPath], [[shop], path]);
    assertEquals(faultOf([...KEY_ARGS, "--keys-file", path]), "give keys with key or keys-file, not both");
    assertEquals(
      faultOf(["--keys-file", path, "--report-secret", "sk_0123456789abcdef"]),
      "a report secret is for one key: with keys-file, give each its secretKey in that file",
    );
  });
});

Deno.test("parseSettings() knows the three sinks", () => {
  const sinkOf = (...args: string[]) => parse([...KEY_ARGS, "--sink", ...args]).sink;
  const nats = { kind: "nats", stream: "VENDOR_EVENTS", replicas: 3, duplicateWindowMs: 691_200_000 } as const;

  assertEquals(sinkOf("memory"), { kind: "memory" });
  assertEquals(sinkOf("file:C:\\events"), { kind: "file", path: "C:\\events" });
  assertEquals(sinkOf("nats://a:4222,nats://b:4222"), { ...nats, servers: ["a:4222", "b:4222"] });
  assertEquals(sinkOf("nats:a,b:1", "--nats-replicas=1", "--nats-user=u"), {
    ...nats,
    servers: ["a", "b:1"],
    replicas: 1,
    user: "u",
  });
});

Deno.test("parseSettings() names what no log may hold", () => {
  const variables = {
    INGEST_NATS_PASSWORD: "p",
    INGEST_CLICKHOUSE_PASSWORD: "q",
    INGEST_REPORT_SECRET: "sk_0123456789abcdef",
  };
  const { secrets } = parse([...KEY_ARGS, "--sink", "nats:a", "--nats-token", "t"], variables);

  assertEquals(new Set(secrets), new Set(["pk_1", "sk_0123456789abcdef", "p", "q", "t"]));
  const sendingSecrets = { webhooks: "ss_0123456789abcdef0123456789abcdef" };
  withConfig({ keys: [{ apiKey: "pk_1", origins: "any", sendingSecrets }] }, (path) => {
    assertEquals(parse(["--config", path]).secrets, ["pk_1", sendingSecrets.webhooks]);
  });
});

Deno.test("parseSettings() shows help and version before it looks at anything else", () => {
  assertEquals(parseSettings(["--help", "--port", "x"], {}), "help");
  assertEquals(parseSettings(["-h"], {}), "help");
  assertEquals(parseSettings(["--version"], {}), "version");
});

Deno.test("parseSettings() takes values for what was meant, whatever an env file leaves around them", () => {
  const pathOf = (variables: Record<string, string>): unknown => parse(KEY_ARGS, variables).sink;
  const keysOf = (text: string): unknown => parse([], { INGEST_KEYS: text }).keys;
  const expected = [{ apiKey: "pk_1", name: "shop", origins: ["https://a.example"] }];
  const key = "shop:pk_1=https://a.example";

  for (const text of ["file:/data/e\r", '"file:/data/e"', "'file:/data/e'\r\n", " file:/data/e "]) {
    assertEquals(pathOf({ INGEST_SINK: text }), { kind: "file", path: "/data/e" });
    assertEquals(parse([...KEY_ARGS, "--sink", text]).sink, { kind: "file", path: "/data/e" });
  }
  for (const text of [`"${key}"`, `'${key}'`, `${key}\r\n`, `\ufeff${key}`, `"${key}"\r`]) {
    assertEquals([keysOf(text), parse(["--key", text]).keys], [expected, expected]);
  }
  assertEquals(keysOf(`"${key}" "pk_2=any"\r\n`), [...expected, { apiKey: "pk_2", origins: "any" }]);
  assertEquals(parse([], { "\ufeffINGEST_KEYS": key }).keys, expected as unknown as readonly ServerKey[]);
  assertEquals(parse(KEY_ARGS, { INGEST_PORT: '"8081"\r', INGEST_KEEP: '""' }).port, 8081);
  withConfig(`\ufeff${JSON.stringify({ keys: expected })}\r\n`, (path) => {
    assertEquals(parse([], { INGEST_CONFIG: `"${path}"\r` }).keys, expected as unknown as readonly ServerKey[]);
    assertEquals(parse([], { INGEST_KEYS_FILE: `${path}\r` }).keys, expected as unknown as readonly ServerKey[]);
  });
});

Deno.test("parseSettings() takes an address of IPv6 with brackets and without", () => {
  const both = (host: string) => parse([...KEY_ARGS, "--host", host, "--metrics-host", host, "--metrics-port", "9"]);

  for (const host of ["::1", "[::1]"]) {
    assertEquals([both(host).host, both(host).metrics?.host], ["::1", "::1"]);
  }
});

Deno.test("parseSettings() shows metrics on the machine alone, unless told otherwise", () => {
  const metricsOf = (...args: string[]) => parse([...KEY_ARGS, "--host", "0.0.0.0", ...args]).metrics;

  assertEquals(metricsOf(), undefined);
  assertEquals(metricsOf("--metrics-port", "9464"), { host: "127.0.0.1", port: 9464 });
  assertEquals(metricsOf("--metrics-port", "9464", "--metrics-host", "0.0.0.0"), { host: "0.0.0.0", port: 9464 });
});

Deno.test("parseSettings() refuses what could only be meant otherwise, and says what it read", () => {
  const url = (text: string): string =>
    `sink must be file:FOLDER, not the URL "${text}": file:events is in the folder that it runs in, ` +
    "file:/data/events in another";

  for (const text of ["file://events", "file:///data/events"]) {
    assertEquals(faultOf([...KEY_ARGS, "--sink", text]), url(text));
  }
  assertEquals(faultOf([...KEY_ARGS, "--sink", "file:a\nb"]), "sink must not hold control characters");
  assertEquals(
    faultOf(["--key", "pk:live:123=any"]),
    'key 1 is read as NAME:KEY=SITES, and "pk:live:123" has several colons: such a key can be in the config file',
  );
  for (const apiKey of ['pk_"1', "pk 1", "pk\t1"]) {
    assertEquals(
      faultOf(["--key", `${apiKey}=any`]),
      `key 1 holds a quote, white space or a control character: ${JSON.stringify(apiKey)}`,
    );
  }
});

Deno.test("parseSettings() says in one line what is wrong", () => {
  assertEquals(faultOf(["--prot", "1"]), "Unknown option '--prot', see --help");
  assertEquals(faultOf(["extra"]), "there is an argument that belongs to no flag, see --help");
  assertEquals(faultOf([]), "there is no key: give one with --key KEY=SITES, see --help");
  assertEquals(faultOf(["--key", "pk_1"]), "key 1 must be KEY=SITES, such as pk_1=https://shop.example");
  assertEquals(
    faultOf(["--key", "pk_1=shop.example"]),
    'keys[0].origins[0] must be an origin as browsers send it: "https://shop.example"',
  );
  assertEquals(faultOf(["--key", "pk_1=any", "--key", "pk_1=any"]), "keys[1].apiKey is listed twice");
  assertEquals(
    faultOf([...KEY_ARGS, "--report-secret", "short"]),
    "keys[0].secretKey must have at least 16 characters",
  );
  assertEquals(
    faultOf(["--key", "a=any", "--key", "b=any", "--report-secret", "sk_0123456789abcdef"]),
    "a report secret is for one key: with several, give each its secretKey in the config file",
  );
  assertEquals(faultOf([...KEY_ARGS, "--port", "65536"]), 'port must be a whole number from 0 to 65535, not "65536"');
  assertEquals(faultOf([...KEY_ARGS, "--port", "0x10"]), 'port must be a whole number from 0 to 65535, not "0x10"');
  assertEquals(
    faultOf([...KEY_ARGS, "--trust-proxy", "10.0.0.0/8, nginx"]),
    "trust-proxy must be addresses or networks such as 10.0.0.0/8, not nginx",
  );
  assertEquals(
    faultOf([...KEY_ARGS, "--country-header", "CF-IPCountry"]),
    "country-header needs trust-proxy, the proxies that set the header",
  );
  assertEquals(
    faultOf([...KEY_ARGS, "--trust-proxy", "10.0.0.0/8", "--country-header", "X Country"]),
    "country-header must be the name of a header, such as CF-IPCountry",
  );
  assertEquals(faultOf([...KEY_ARGS, "--path", "events"]), 'path must be one such as /v1/events, not "events"');
  assertEquals(faultOf([...KEY_ARGS, "--path", "/metrics"]), "path must not be /metrics, which is taken");
  assertEquals(
    faultOf([...KEY_ARGS, "--metrics-host", "127.0.0.1"]),
    "metrics-host is for a port of its own: set metrics-port",
  );
  assertEquals(
    faultOf([...KEY_ARGS, "--plan-mode", "refuse"]),
    "plan-mode refuse needs a plan: name its file with plan",
  );
  assertEquals(faultOf([...KEY_ARGS, "--log-level", "all"]), "log-level must be one of debug, info, warn, error");
  assertEquals(
    faultOf([...KEY_ARGS, "--sink", "postgres:x"]),
    "sink must be memory, file:FOLDER or nats:SERVER,SERVER",
  );
  assertEquals(
    faultOf([...KEY_ARGS, "--sink", "nats:user:secret@a"]),
    "sink nats: must list servers as host:port, split by commas, without user or password",
  );
  assertEquals(
    faultOf([...KEY_ARGS, "--sink", "nats:a", "--nats-window-minutes", "0"]),
    'nats-window-minutes must be a whole number from 1 to 525600, not "0"',
  );
});

Deno.test("parseSettings() takes INGEST_VERSION and INGEST_HELP for somebody else's", () => {
  assertEquals(parse(KEY_ARGS, { INGEST_VERSION: "1", INGEST_HELP: "yes" }).port, 8080);
});

Deno.test("parseSettings() refuses a flag whose value is empty, as a variable that isn't set makes it", () => {
  assertEquals(faultOf([...KEY_ARGS, "--sink", "nats:a", "--nats-token", ""]), "nats-token must not be empty");
  assertEquals(faultOf([...KEY_ARGS, "--host="]), "host must not be empty");
  assertEquals(parse(KEY_ARGS, { INGEST_HOST: "" }).host, "127.0.0.1");
});

Deno.test("parseSettings() refuses a wrong number of a sink that isn't used", () => {
  assertEquals(
    faultOf(KEY_ARGS, { INGEST_NATS_REPLICAS: "three" }),
    'nats-replicas must be a whole number from 1 to 5, not "three"',
  );
});

Deno.test("parseSettings() repeats no key that came without its flag", () => {
  assertEquals(faultOf(["pk_live_1=any"]).includes("pk_live_1"), false);
});

Deno.test("parseSettings() says what is wrong with the config file, and quotes nothing of it", () => {
  const faultOfConfig = (config: unknown): string => {
    let fault = "";
    withConfig(config, (path) => fault = faultOf(["--config", path]).replace(path, "FILE"));
    return fault;
  };

  assertEquals(faultOfConfig('{"reportSecret": sk_1}'), "the config file FILE can't be read: it isn't JSON");
  assertEquals(faultOfConfig("[]"), "the config file FILE can't be read: it isn't a JSON object");
  assertEquals(faultOfConfig({ prot: 1 }), "the config file FILE has an unknown field prot");
  assertEquals(faultOfConfig({ keys: "pk" }), "keys in the config file FILE must be a list");
  assertEquals(faultOfConfig({ keys: ["pk"] }), "keys[0] in the config file must be an object");
  assertEquals(
    faultOfConfig({ keys: [{ apiKey: "pk" }] }),
    'keys[0] in the config file must have origins, a list or "any"',
  );
  assertEquals(
    faultOfConfig({ keys: [{ apiKey: "pk", orgins: [] }] }),
    "keys[0] in the config file has an unknown field orgins",
  );
  assertEquals(
    faultOfConfig({ keys: [{ apiKey: "pk", origins: "any", rateLimit: { perSecond: 1 } }] }),
    "keys[0] in the config file has a rateLimit that isn't requestsPerSecond, and burst if any",
  );
  assertEquals(
    faultOfConfig({ keys: [{ apiKey: "pk", origins: "any", pathRules: { patterns: ["teas"] } }] }),
    "keys[0] in the config file has pathRules that aren't patterns, each with a slash at its start, dropsTrailingSlash " +
      "and ignoresCase",
  );
  assertEquals(
    faultOfConfig({ keys: [{ apiKey: "pk", origins: "any", ignoredReferrers: "https://pay.example" }] }),
    "keys[0] in the config file has ignoredReferrers that aren't a list of texts",
  );
  const faultOfGoal = (goal: unknown): string =>
    faultOfConfig({ keys: [{ apiKey: "pk", origins: "any", goals: { Order: goal } }] });
  for (
    const goal of [{}, { step: "a", page: "/a" }, { page: "/a", value: "total" }, { step: "a", property: { key: "a" } }]
  ) {
    assertEquals(
      faultOfGoal(goal),
      "keys[0] in the config file has goals that aren't page or step, property and value by their names",
    );
  }
  assertEquals(faultOfGoal({ page: "thanks" }), "keys[0].goals[0] has a page that begins with no slash");
  assertEquals(
    faultOfConfig({ keys: [{ apiKey: "pk", origins: "any", ownVisits: { address: [] } }] }),
    "keys[0] in the config file has ownVisits that aren't addresses, visitors, users and paths, each a list of texts",
  );
  assertEquals(faultOfConfig({ port: [1] }), "port in the config file must be a string or a number");
  assertStringIncludes(faultOf(["--config", "/nowhere.json"]), "the config file /nowhere.json can't be read: ENOENT");
});

Deno.test("parseSettings() takes goals of any name, those of JavaScript's objects too", () => {
  const goals = '{"__proto__":{"step":"a"},"constructor":{"page":"/"},"toString":{"step":"b"}}';
  const text = `{"keys":[{"apiKey":"pk_1","origins":"any","goals":${goals}}]}`;

  withConfig(text, (path) => {
    const [key] = parse(["--config", path]).keys;
    assertEquals(JSON.stringify(key?.goals), goals);
  });
});

Deno.test("parseSettings() looks for a secret among all publishable keys, and counts as the file does", () => {
  const open: ServerKey = { apiKey: "pk_0123456789abcdef", origins: "any" };
  const withSecret = (secretKey: string) => ({ keys: [open, { apiKey: "pk_2", origins: "any", secretKey }] });
  const faultOfSecret = (secretKey: string): string => {
    let fault = "";
    withConfig(withSecret(secretKey), (path) => fault = faultOf(["--config", path]));
    return fault;
  };

  assertEquals(faultOfSecret(open.apiKey), "keys[1].secretKey must not be a publishable key");
  assertEquals(faultOfSecret("short"), "keys[1].secretKey must have at least 16 characters");
  assertEquals(
    faultOfSecret("sk_8f14e45fceea167a"),
    "keys[1].secretKey must not be one that is printed in a guide: make one",
  );
});

Deno.test("the guide's config file sets what it says", async () => {
  const guide = await Deno.readTextFile(new URL("../../../../docs/ingest.md", import.meta.url));

  withConfig(/```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? "", (path) => {
    const { keys, sink } = parse(["--config", path]);

    assertEquals(keys.map(({ name, secretKey }) => [name, secretKey]), [
      ["shop", undefined],
      ["app", undefined],
    ]);
    assertEquals(sink.kind, "file");
  });
});
