/** What the launcher of the suite prepared. */
export interface Workplace {
  /** Where the fixtures are installed and built: outside the repository, and kept between runs. */
  readonly root: string;
  /** The package as it would be published; its name has the hash, as npm takes a file of the same name for the same. */
  readonly tarball: string;
}

/** Returns what the launcher prepared. */
export function readWorkplace(): Workplace {
  const root = Deno.env.get("CONSUMERS_DIRECTORY");
  const tarball = Deno.env.get("CONSUMERS_TARBALL");
  if (!root || !tarball) throw new Error("Start the suite with `deno task test:consumers`");
  return { root, tarball };
}
