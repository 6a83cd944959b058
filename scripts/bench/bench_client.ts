/**
 * `deno task bench`: measures the client against other SDKs, and against an earlier commit of its own, in a real
 * Chromium, and prints one table. Never called `bench.ts`: `deno bench` would collect it.
 *
 * @module
 */
import { type Chromium, startChromium } from "./client/chromium.ts";
import { type EarlierClient, extractEarlierClient } from "./client/earlier_client.ts";
import { parseOptions, USAGE } from "./client/options.ts";
import { findCacheDirectory, installPackages } from "./client/package_cache.ts";
import type { Figures, Row } from "./client/row.ts";
import { ROWS } from "./client/rows.ts";
import type { PreparedSubject } from "./client/session.ts";
import { type Site, startSite } from "./client/site.ts";
import { shuffle } from "./client/statistics.ts";
import { bundleSubject } from "./client/subject_bundle.ts";
import { EARLIER_SUBJECT, PACKAGES, type Subject, SUBJECTS } from "./client/subjects.ts";
import { formatTable } from "./client/table.ts";

/** A run that fails costs one of the figures, and perhaps the browser: a new one is started for the next. */
async function measure(
  { row, subject, site }: { readonly row: Row; readonly subject: PreparedSubject; readonly site: Site },
  chromium: Chromium,
): Promise<Figures> {
  try {
    const figures = await row.measure(subject, { chromium, site });
    console.error(row.id, subject.id, JSON.stringify(figures));
    return figures;
  } catch (error) {
    console.error(row.id, subject.id, "failed:", error instanceof Error ? error.message : error);
    return {};
  }
}

function choose<T extends { readonly id: string }>(all: readonly T[], names: readonly string[]): readonly T[] {
  const unknown = names.find((name) => !all.some(({ id }) => id === name));
  if (unknown) throw new Error(`there is no ${unknown}, only ${all.map(({ id }) => id).join(", ")}`);
  return names.length ? all.filter(({ id }) => names.includes(id)) : all;
}

interface BundledSubjects {
  readonly subjects: readonly PreparedSubject[];
  readonly earlier: EarlierClient | undefined;
}

/** Bundles the SDKs; the client of an earlier commit is on the disk only as long as that takes. */
async function bundleSubjects(chosen: readonly Subject[], commit: string): Promise<BundledSubjects> {
  const hasEarlier = chosen.some(({ id }) => id === EARLIER_SUBJECT);
  const earlier = hasEarlier ? await extractEarlierClient(commit) : undefined;
  try {
    const directory = findCacheDirectory();
    await installPackages(directory);
    const subjects = chosen
      .map((subject) =>
        earlier && subject.id === EARLIER_SUBJECT ? { ...subject, clientFolder: earlier.folder } : subject
      )
      .map((subject) => ({ ...subject, bundle: bundleSubject(subject, directory) }));
    return { subjects, earlier };
  } finally {
    await earlier?.remove();
  }
}

async function main(): Promise<void> {
  const options = parseOptions(Deno.args);
  if (options.isHelp) {
    const list = (all: readonly { readonly id: string }[]): string => all.map(({ id }) => id).join(", ");
    return console.log(`${USAGE}\n\nSDKs: ${list(SUBJECTS)}\nRows: ${list(ROWS)}`);
  }
  const rows = choose(ROWS, options.rows);
  const { subjects, earlier } = await bundleSubjects(choose(SUBJECTS, options.only), options.before);
  const site = startSite();
  for (const { id, bundle } of subjects) site.publish(encodeURIComponent(id), bundle.files);
  const results = subjects.map((subject) => ({ subject, id: subject.id, runs: [] as Figures[] }));
  let chromium = await startChromium();
  for (let round = 1; round <= options.rounds; round++) {
    console.error(`round ${round} of ${options.rounds}`);
    for (const row of rows) {
      for (const { subject, runs } of shuffle(results)) {
        if (row.isFor?.(subject) ?? true) runs.push(await measure({ row, subject, site }, chromium));
        if (!chromium.isGone()) continue;
        await chromium.close();
        chromium = await startChromium();
      }
    }
  }
  console.log(`\n${formatTable(rows.flatMap(({ columns }) => columns), results, options)}\n`);
  const versions = subjects.flatMap(({ packageName = "" }) =>
    PACKAGES[packageName] ? [`${packageName}@${PACKAGES[packageName]}`] : []
  );
  console.log(
    `${["deno task bench", ...Deno.args].join(" ")}, ${new Date().toISOString().slice(0, 10)}, ${chromium.version}`,
  );
  if (earlier) console.log(`${EARLIER_SUBJECT} is ${earlier.title}`);
  if (versions.length) console.log(versions.join(", "));
  await chromium.close();
  await site.close();
}

await main();
