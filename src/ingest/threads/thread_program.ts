/**
 * Returns the program of the threads, as the text of a module. Here it imports worker.ts from beside this file. The npm
 * package has no such file, which bundlers wouldn't find: the build has the function return all of the program.
 */
export function readThreadProgram(): string {
  return `import ${JSON.stringify(new URL("./worker/worker.ts", import.meta.url).href)};`;
}

/** Returns the URL of this module: beside it, the program finds packages that it can't import as a text. */
export function readThreadBase(): string {
  return import.meta.url;
}
