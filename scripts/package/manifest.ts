import { findImport, listEntries, type NpmPackage } from "./packages.ts";

/** Directory of the ES modules in an npm package, laid out as dnt does. */
export const ESM_DIRECTORY = "esm";

/** Directory of the CommonJS modules in an npm package, laid out as dnt does. */
export const SCRIPT_DIRECTORY = "script";

/** The repository. */
export const REPOSITORY_URL = "https://github.com/vendor/sdk";

/** Builds the package.json of an npm package: whatever compiles the modules, the package is the same. */
export function buildManifest(npmPackage: NpmPackage): Record<string, unknown> {
  const { source, folder, root, dependencies, optionalDependencies, optionalPeers, scripts, program, keywords } =
    npmPackage;
  const entries = Object.entries(listEntries(npmPackage)).map(([subPath, path]) =>
    [subPath, path.slice(root.length)] as const
  );
  const main = entries.find(([subPath]) => subPath === ".")?.[1] ?? "mod.ts";
  const toVersion = (name: string): string => findImport(npmPackage, name).slice(name.length + 1);
  const toRange = (name: string): string => `^${toVersion(name)}`;
  return {
    name: source.name,
    version: source.version,
    description: source.description,
    license: source.license,
    homepage: `${REPOSITORY_URL}${folder && `/tree/main/${folder.slice(0, -1)}`}#readme`,
    bugs: `${REPOSITORY_URL}/issues`,
    repository: {
      type: "git",
      url: `git+${REPOSITORY_URL}.git`,
      ...(folder && { directory: folder.slice(0, -1) }),
    },
    keywords,
    type: "commonjs",
    sideEffects: false,
    engines: { node: ">=20" },
    main: toOutput(SCRIPT_DIRECTORY, main, ".js"),
    module: toOutput(ESM_DIRECTORY, main, ".js"),
    types: toOutput(SCRIPT_DIRECTORY, main, ".d.ts"),
    // What these two networks serve for the bare name of the package.
    ...(scripts[0] && { unpkg: `./${scripts[0]}`, jsdelivr: `./${scripts[0]}` }),
    exports: Object.fromEntries([
      ...entries.map(([subPath, path]) => [subPath, toConditions(path)]),
      // For those who copy them to their own server.
      ...scripts.map((name) => [`./${name}`, `./${name}`]),
      ["./package.json", "./package.json"],
    ]),
    // Resolvers that don't read `exports` find the types of the sub-paths here.
    typesVersions: {
      "*": Object.fromEntries(
        entries.filter(([subPath]) => subPath !== ".")
          .map(([subPath, path]) => [subPath.slice(2), [toOutput(SCRIPT_DIRECTORY, path, ".d.ts")]]),
      ),
    },
    ...(program && { bin: { [program.name]: program.path } }),
    ...(dependencies.length > 0 && {
      dependencies: Object.fromEntries(dependencies.map((name) => [name, toRange(name)])),
    }),
    ...(optionalDependencies.length > 0 && {
      optionalDependencies: Object.fromEntries(optionalDependencies.map((name) => [name, toVersion(name)])),
    }),
    ...(optionalPeers.length > 0 && {
      peerDependencies: Object.fromEntries(optionalPeers.map((name) => [name, toRange(name)])),
      peerDependenciesMeta: Object.fromEntries(optionalPeers.map((name) => [name, { optional: true }])),
    }),
    files: [
      ESM_DIRECTORY,
      SCRIPT_DIRECTORY,
      ...scripts.flatMap((name) => [name, `${name}.map`]),
      ...(program ? [program.path, program.demo] : []),
      "CHANGELOG.md",
    ],
    publishConfig: { access: "public", provenance: true },
  };
}

// Each format has declarations of its own: a CommonJS importer must not see those of an ES module. Bundlers take
// `module` for both, so that an application and a dependency that says `require()` share one `Vendor`.
function toConditions(path: string): Record<string, unknown> {
  return {
    import: { types: toOutput(ESM_DIRECTORY, path, ".d.ts"), default: toOutput(ESM_DIRECTORY, path, ".js") },
    module: toOutput(ESM_DIRECTORY, path, ".js"),
    require: { types: toOutput(SCRIPT_DIRECTORY, path, ".d.ts"), default: toOutput(SCRIPT_DIRECTORY, path, ".js") },
  };
}

function toOutput(directory: string, path: string, extension: string): string {
  return `./${directory}/${path.replace(/\.ts$/, extension)}`;
}
