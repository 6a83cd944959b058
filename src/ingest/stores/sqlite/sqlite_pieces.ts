/** How many rows are read at a time: a row may have a megabyte. */
export const PIECE_ROWS = 100;

type Row = Readonly<Record<string, unknown>>;

/**
 * Reads rows in the order of their `seq`, in pieces of {@linkcode PIECE_ROWS}. Deno's `iterate()` takes an error for the end of
 * the rows, as that of an unreadable page; `all()` throws, and holds all that it reads.
 *
 * @param read Returns the first rows behind a number, at most so many.
 */
export function* readPieces(after: number, read: (after: number, count: number) => readonly Row[]): Generator<Row> {
  for (;;) {
    const rows = read(after, PIECE_ROWS);
    yield* rows;
    if (rows.length < PIECE_ROWS) return;
    after = Number(rows.at(-1)?.seq);
  }
}
