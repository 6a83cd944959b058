/**
 * The launcher of `deno task test`, `test:costs`, `test:browser` and `test:cluster`: runs a suite with the packages of JSR where it
 * answers, and with their stand-ins where it doesn't. Arguments go on to `deno test`; a path among them replaces the
 * suite's folder.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { runProcess } from "../support/process.ts";
import { findPrograms, type ProgramVariable } from "../support/programs.ts";
import { findRegistry } from "../support/registry.ts";

interface Suite {
  /** Programs that its tests start. */
  readonly programs: readonly ProgramVariable[];
  /** Options of `deno test`. `--parallel` is a file at a time on each core, or as many as DENO_JOBS says. */
  readonly options: readonly string[];
  /** Where its tests are. */
  readonly folder: string;
  /** Files of it that run after the others, one at a time, as all do that arguments name. */
  readonly alone?: readonly string[];
}

const SUITES: Readonly<Record<string, Suite>> = {
  // All that needs no browser, no server and no application. With --unsafe-proto there is a __proto__ setter, as in
  // browsers: without, what guards against it isn't tested.
  unit: {
    programs: [],
    options: [
      "--parallel",
      "--unsafe-proto",
      "--ignore=tests/browser,tests/consumers,tests/cluster,tests/costs,tests/faults",
    ],
    folder: "tests",
  },
  // What work costs in time: a file at a time, and without coverage, which makes code several times slower.
  costs: { programs: [], options: [], folder: "tests/costs" },
  // The bundled SDK in a real Chromium, and what differs between engines in Firefox, too.
  browser: { programs: ["CHROMIUM", "FIREFOX"], options: ["--parallel"], folder: "tests/browser" },
  // The ingest as processes, killed and restarted under load, attacked, alone, behind nginx and on a NATS cluster.
  cluster: {
    programs: ["NATS_SERVER", "NGINX", "CADDY", "PROMTOOL", "DOCKER_COMPOSE", "SYSTEMD_ANALYZE"],
    options: ["--parallel"],
    folder: "tests/cluster",
    // What measures time to within a second, and what a busy machine makes elect another leader.
    alone: [
      "attack_test.ts",
      "deploy_test.ts",
      "jetstream_cluster_test.ts",
      "jetstream_freeze_test.ts",
      "jetstream_sink_test.ts",
      "loader_test.ts",
      "overload_test.ts",
      "store_test.ts",
    ],
  },
};

const SUITE_OPTION = "--suite=";

/** Builds what tests load or start once, in place of once in each file of tests; returns variables that say where. */
async function build(suite: string, folder: string): Promise<Readonly<Record<string, string>>> {
  if (suite === "browser") return (await import("../../tests/browser/sdk_bundle.ts")).writeScripts(folder);
  if (suite !== "cluster") return {};
  const { buildNodeProgram } = await import("../../tests/cluster/node_program.ts");
  return { NODE_PROGRAM: await buildNodeProgram(folder) };
}

const name = Deno.args.find((argument) => argument.startsWith(SUITE_OPTION))?.slice(SUITE_OPTION.length) ?? "unit";
const suite = SUITES[name];
if (!suite) throw new TypeError(`${SUITE_OPTION} is one of ${Object.keys(SUITES).join(", ")}`);
const given = Deno.args.filter((argument) => !argument.startsWith(SUITE_OPTION));
const programs = findPrograms(suite.programs);
const registry = await findRegistry();
console.log(registry.summary);
const folder = await Deno.makeTempDir({ prefix: "vendor_sdk_tests_" });
const env = { ...programs, ...await build(name, folder) };

/** Runs a part of the suite; returns its exit code. */
async function run(options: readonly string[], paths: readonly string[]): Promise<number> {
  const args = ["test", "-A", ...options, ...registry.denoArgs, ...given, ...paths];
  return (await runProcess(Deno.execPath(), { args, env })).code;
}

const codes: number[] = [];
const alone = suite.alone?.map((file) => `${suite.folder}/${file}`);
if (given.some(existsSync)) codes.push(await run(alone ? [] : suite.options, []));
else if (alone) codes.push(await run([...suite.options, `--ignore=${alone}`], [suite.folder]), await run([], alone));
else codes.push(await run(suite.options, [suite.folder]));
await Deno.remove(folder, { recursive: true });
Deno.exit(Math.max(...codes));
