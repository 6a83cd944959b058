/** Returns the paths of all documents for readers. */
export function listDocuments(): string[] {
  const guides = listFiles("docs").filter((path) => path.endsWith(".md"));
  return ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ...guides.sort()];
}

/** Returns the paths of all files in a folder, and in the folders in it. */
export function listFiles(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? listFiles(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}
