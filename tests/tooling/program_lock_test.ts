import { assertEquals, assertRejects } from "@std/assert";
import { PROGRAM_LOCK_FOLDER } from "../../scripts/package/install_locked.ts";
import { installLocked } from "../../scripts/package/install_locked.ts";
import { INGEST } from "../../scripts/package/packages.ts";

interface LockedPackage {
  version: string;
  integrity: string;
  readonly resolved?: string;
}

interface Lock {
  readonly packages: Record<string, LockedPackage>;
}

// What another package brings along: no version in deno.json says which one.
const TRANSITIVE = "node_modules/bintrees";

function readProgramFile(name: string): string {
  return Deno.readTextFileSync(`${PROGRAM_LOCK_FOLDER}/${name}`);
}

function readLock(): Lock {
  return JSON.parse(readProgramFile("package-lock.json"));
}

function listLocked(): readonly (readonly [path: string, locked: LockedPackage])[] {
  return Object.entries(readLock().packages).filter(([path]) => path !== "");
}

/** Installs by a lock of which a package was changed; returns the names of the folders that are there afterwards. */
async function installChanged(change: (locked: LockedPackage) => void): Promise<readonly string[]> {
  const lock = readLock();
  const locked = lock.packages[TRANSITIVE];
  if (!locked) throw new Error(`${TRANSITIVE} isn't locked`);
  change(locked);
  const [folder, directory] = [await Deno.makeTempDir(), await Deno.makeTempDir()];
  try {
    await Deno.writeTextFile(`${folder}/package.json`, readProgramFile("package.json"));
    await Deno.writeTextFile(`${folder}/package-lock.json`, JSON.stringify(lock));
    const packages = await installLocked(folder, directory);
    return [...Deno.readDirSync(packages)].map(({ name }) => name);
  } finally {
    await Promise.all([folder, directory].map((path) => Deno.remove(path, { recursive: true })));
  }
}

Deno.test("what the ingest's program bundles is locked by version and content, and names no registry", () => {
  const locked = listLocked();

  assertEquals(locked.some(([path]) => path === TRANSITIVE), true);
  assertEquals(locked.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity)), []);
  assertEquals(locked.filter(([, { resolved }]) => resolved !== undefined), []);
});

Deno.test("what the ingest's program bundles has the versions of deno.json", () => {
  const { imports } = INGEST.source;
  const { dependencies } = JSON.parse(readProgramFile("package.json"));
  const versions = Object.keys(dependencies).map((name) => [name, imports[name]?.replace(`npm:${name}@`, "")]);

  assertEquals(dependencies, Object.fromEntries(versions));
});

Deno.test("installLocked() throws where the content of a package that another one brings has changed", async () => {
  const install = (): Promise<unknown> => installChanged((locked) => locked.integrity = `sha512-${"A".repeat(86)}==`);

  await assertRejects(install, Error, "npm ci");
});
