/**
 * `deno task bench`: measures the client beside the least that such an SDK can do, other SDKs, and an earlier commit of its own, in a
 * real Chromium, and prints tables. Never called `bench.ts`: `deno bench` would collect it.
 *
 * @module
 */
import { type Chromium, startChromium } from "./client/chromium.ts";
import { type Measurement, MEASUREMENTS } from "./client/measurements.ts";
import { type BenchOptions, parseOptions, USAGE } from "./client/options.ts";
import { findCacheDirectory, installPackages } from "./client/package_cache.ts";
import type { PreparedSubject } from "./client/session.ts";
import { type Site, startSite } from "./client/site.ts";
import { bundleSubject } from "./client/subject_bundle.ts";
import { EARLIER_SUBJECT, PACKAGES, SCRIPT_PACKAGE, type Subject, SUBJECTS } from "./client/subjects.ts";
import { buildFloorTable, buildPeersTable, type SubjectResult } from "./client/tables.ts";
import { type EarlierTree, extractEarlierTree } from "./earlier_tree.ts";
import { describeMoment, writeSection } from "./guide.ts";
import { shuffle } from "./statistics.ts";

interface Prepared {
  readonly subjects: readonly PreparedSubject[];
  readonly earlier: EarlierTree | undefined;
}

function chooseSubjects({ only, before }: BenchOptions): readonly Subject[] {
  const unknown = only.find((name) => !SUBJECTS.some(({ id }) => id === name));
  if (unknown) throw new Error(`there is no ${unknown}, only ${SUBJECTS.map(({ id }) => id).join(", ")}`);
  return SUBJECTS.filter(({ id }) => id === EARLIER_SUBJECT ? before : !only.length || only.includes(id));
}

/** Bundles the SDKs; the client of an earlier commit is on the disk only as long as that takes. */
async function prepare(options: BenchOptions): Promise<Prepared> {
  const earlier = options.before ? await extractEarlierTree(options.before, ["mod.ts", "src"]) : undefined;
  try {
    const directory = findCacheDirectory();
    await installPackages(directory);
    const subjects = chooseSubjects(options)
      .map((subject) =>
        earlier && subject.id === EARLIER_SUBJECT ? { ...subject, clientFolder: earlier.folder } : subject
      )
      .map((subject) => ({ ...subject, bundle: bundleSubject(subject, directory) }));
    return { subjects, earlier };
  } finally {
    await earlier?.remove();
  }
}

interface Run {
  readonly measurement: Measurement;
  readonly subject: PreparedSubject;
  readonly site: Site;
}

/** A run that fails costs its figures, and perhaps the browser: a new one is started for the next. */
async function measure({ measurement, subject, site }: Run, chromium: Chromium): Promise<readonly number[]> {
  try {
    return await measurement.measure(subject, { chromium, site });
  } catch (error) {
    console.error(`${subject.id} failed: ${error instanceof Error ? error.message : error}`);
    return measurement.figures.map(() => NaN);
  }
}

interface Measured {
  readonly results: readonly SubjectResult[];
  /** Version of the browser. */
  readonly version: string;
}

async function measureAll(subjects: readonly PreparedSubject[], rounds: number): Promise<Measured> {
  const site = startSite();
  for (const { id, bundle } of subjects) site.publish(encodeURIComponent(id), bundle.files);
  const results = new Map(subjects.map(({ id }) => [id, new Map<string, number[]>()]));
  let chromium = await startChromium();
  for (let round = 1; round <= rounds; round++) {
    console.error(`round ${round} of ${rounds}, ${new Date().toTimeString().slice(0, 8)}`);
    for (const measurement of MEASUREMENTS) {
      for (const subject of shuffle(subjects.filter((subject) => measurement.isFor?.(subject) ?? true))) {
        const values = await measure({ measurement, subject, site }, chromium);
        for (const [index, { name }] of measurement.figures.entries()) {
          const ofSubject = results.get(subject.id);
          ofSubject?.set(name, [...ofSubject.get(name) ?? [], values[index] ?? NaN]);
        }
        if (!chromium.isGone()) continue;
        await chromium.close();
        chromium = await startChromium();
      }
    }
  }
  await chromium.close();
  await site.close();
  const figures = subjects.map(({ id, bundle }) => ({
    id,
    brotliBytes: bundle.brotliBytes,
    rounds: results.get(id) ?? new Map(),
  }));
  return { results: figures, version: chromium.version };
}

interface RunOptions {
  readonly rounds: number;
  /** Version of the browser. */
  readonly version: string;
}

/** Returns a sentence on the run, and one on the versions of others. */
async function describeRun(prepared: Prepared, { rounds, version }: RunOptions): Promise<string> {
  const versions = prepared.subjects.flatMap(({ packageName = "" }) => {
    const version = packageName === SCRIPT_PACKAGE.name ? SCRIPT_PACKAGE.version : PACKAGES[packageName];
    return version ? [`${packageName} ${version}`] : [];
  });
  const cores = navigator.hardwareConcurrency;
  const load = Deno.loadavg()[0]?.toFixed(1);
  return [
    `Medians of ${rounds} rounds in ${version}, measured ${await describeMoment()}, on ${cores} cores with a load of ${load}.`,
    ...prepared.earlier ? [`"${EARLIER_SUBJECT}" is ${prepared.earlier.title}.`] : [],
    ...versions.length ? [`Versions: ${versions.join(", ")}.`] : [],
  ].join(" ");
}

async function main(): Promise<void> {
  const options = parseOptions(Deno.args);
  if (options.isHelp) return console.log(`${USAGE}\n\nSDKs: ${SUBJECTS.map(({ id }) => id).join(", ")}`);
  const prepared = await prepare(options);
  const { results, version } = await measureAll(prepared.subjects, options.rounds);
  const run = await describeRun(prepared, { rounds: options.rounds, version });
  const hasPeers = prepared.subjects.some(({ packageName }) => packageName);
  const tables = { floor: buildFloorTable(results), ...hasPeers && { peers: buildPeersTable(results) } };
  for (const [name, table] of Object.entries(tables)) {
    console.log(`${table}\n${run}\n`);
    if (options.isWritten) await writeSection(name, `${table}\n${run}`);
  }
}

await main();
