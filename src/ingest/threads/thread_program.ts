/**
 * Returns the program of the threads, as the text of a module. Here it imports worker.ts from beside this file. The npm
 * package has no such file, which bundlers wouldn't find: the build has the function return all of the program.
 */
export function readThreadProgram(): string {
  return `import ${JSON.stringify(new URL("./worker/worker.ts", import.meta.url).href)};`;
}
