/** What the launcher of the suite prepared. */
export interface Workplace {
  /** Where the fixtures are installed and built: outside the repository, and kept between runs. */
  readonly root: string;
  /** The packages, by name, as they would be published; files of the same name are the same to npm, so theirs change. */
  readonly tarballs: Readonly<Record<string, string>>;
}

/** Returns what the launcher prepared. */
export function readWorkplace(): Workplace {
  const root = Deno.env.get("CONSUMERS_DIRECTORY");
  const tarballs = Deno.env.get("CONSUMERS_TARBALLS");
  if (!root || !tarballs) throw new Error("Start the suite with `deno task test:consumers`");
  return { root, tarballs: JSON.parse(tarballs) };
}
