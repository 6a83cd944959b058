/** Where the fixtures are installed and built: outside the repository, and kept between runs. */
export const WORK_DIRECTORY: string = Deno.env.get("CONSUMERS_DIRECTORY") ?? "";

/** The package as it would be published. */
export interface Tarball {
  /** Where it is; its name holds the hash, since npm takes a file of the same name for the same package. */
  readonly path: string;
}

/** Returns the package that the launcher packed. */
export function readTarball(): Tarball {
  const path = Deno.env.get("CONSUMERS_TARBALL");
  if (!path || !WORK_DIRECTORY) throw new Error("Start the suite with `deno task test:consumers`");
  return { path };
}
