import { runProcess } from "../support/process.ts";

/** Options of {@linkcode packPackage}. */
export interface PackOptions {
  /** The package as `deno task build:npm` made it. */
  readonly directory: string;
  /** Directory that the tarball goes to. */
  readonly destination: string;
}

/** A tarball as npm would publish it. */
export interface PackedPackage {
  /** Path of the tarball. */
  readonly tarball: string;
  /** Paths of the files in it, relative to the package, sorted. */
  readonly files: readonly string[];
  /** Bytes of the tarball. */
  readonly packedBytes: number;
  /** Bytes of the files in it. */
  readonly unpackedBytes: number;
}

/** Packs the package with `npm pack`, as publishing would. */
export async function packPackage({ directory, destination }: PackOptions): Promise<PackedPackage> {
  const { code, output } = await runProcess("npm", {
    args: ["pack", "--json", "--silent", "--pack-destination", await Deno.realPath(destination)],
    cwd: directory,
    isQuiet: true,
  });
  if (code !== 0) throw new Error(`npm pack failed:\n${output}`);
  // npm writes warnings to the same stream, before the report.
  const [{ filename, files, size, unpackedSize }] = JSON.parse(output.slice(output.indexOf("[")));
  return {
    tarball: `${destination}/${filename}`,
    files: files.map((file: { readonly path: string }) => file.path).sort(),
    packedBytes: size,
    unpackedBytes: unpackedSize,
  };
}
