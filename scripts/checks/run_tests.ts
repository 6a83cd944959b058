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
  /** What its tests start. */
  readonly programs: readonly ProgramVariable[];
  /** What `deno test` is told. `--parallel` is a file at a time on each core, or as many as DENO_JOBS says. */
  readonly options: readonly string[];
  /** Where its tests are. */
  readonly folder: string;
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
    options: [],
    folder: "tests/cluster",
  },
};

const SUITE_OPTION = "--suite=";

/** Builds what a page loads once, in place of once in each file of tests. */
async function buildScripts(): Promise<{ readonly env: Readonly<Record<string, string>>; readonly folder: string }> {
  const { writeScripts } = await import("../../tests/browser/sdk_bundle.ts");
  const folder = await Deno.makeTempDir({ prefix: "vendor_sdk_scripts_" });
  return { env: writeScripts(folder), folder };
}

const name = Deno.args.find((argument) => argument.startsWith(SUITE_OPTION))?.slice(SUITE_OPTION.length) ?? "unit";
const suite = SUITES[name];
if (!suite) throw new TypeError(`${SUITE_OPTION} is one of ${Object.keys(SUITES).join(", ")}`);
const args = Deno.args.filter((argument) => !argument.startsWith(SUITE_OPTION));
const programs = findPrograms(suite.programs);
const registry = await findRegistry();
console.log(registry.summary);
const scripts = name === "browser" ? await buildScripts() : undefined;
const { code } = await runProcess(Deno.execPath(), {
  args: [
    "test",
    "-A",
    ...suite.options,
    ...registry.denoArgs,
    ...args,
    ...(args.some(existsSync) ? [] : [suite.folder]),
  ],
  env: { ...programs, ...scripts?.env },
});
if (scripts) await Deno.remove(scripts.folder, { recursive: true });
Deno.exit(code);
