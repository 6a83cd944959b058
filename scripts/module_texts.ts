import { decode } from "@jridgewell/sourcemap-codec";

/** A bundle with its source map. */
export interface MappedText {
  /** The program text. */
  readonly text: string;
  /** The source map, as JSON text (ECMA-426). */
  readonly map: string;
}

/** Stands for the text that belongs to no module, such as the list of exports. */
export const BUNDLER = "(bundler)";

/** A piece of a bundle. */
export interface ModuleText {
  /** The module that it comes from, as the source map calls it, or {@linkcode BUNDLER}. */
  readonly path: string;
  /** The piece. */
  readonly text: string;
}

/** Cuts a bundle into pieces that come from one module each, in order; together they are the bundle. */
export function splitByModule({ text, map }: MappedText): ModuleText[] {
  const { sources, mappings } = JSON.parse(map) as { readonly sources: string[]; readonly mappings: string };
  const pieces: ModuleText[] = [];
  for (const [i, line] of text.split(/(?<=\n)/).entries()) {
    const segments = decode(mappings)[i] ?? [];
    const starts = segments.map(([column, source]) => ({ column, path: sources[source ?? -1] ?? BUNDLER }));
    for (const [j, { column, path }] of [{ column: 0, path: BUNDLER }, ...starts].entries()) {
      pieces.push({ path, text: line.slice(column, starts[j]?.column) });
    }
  }
  return pieces.filter(({ text }) => text);
}
