import { PACKAGES } from "../package/packages.ts";

/** Returns the paths of all documents for readers. */
export function listDocuments(): string[] {
  const guides = listFiles("docs").filter((path) => path.endsWith(".md"));
  const ofPackages = PACKAGES.flatMap(({ folder }) => [`${folder}README.md`, `${folder}CHANGELOG.md`]);
  return [...ofPackages, "CONTRIBUTING.md", ...guides.sort()];
}

/** Returns the paths of all files in a folder, and in the folders in it. */
export function listFiles(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? listFiles(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}
