/** Sums by name; some have parts. */
interface Sums {
  readonly [name: string]: number | Sums;
}

/** Returns what rows leave out of sums of all rows; null where they are all. Each row has at least what the sums have. */
export function findLeftOut<S extends object>(
  sums: S,
  { rows, count }: { readonly rows: readonly S[]; readonly count: number },
): S | null {
  if (rows.length >= count) return null;
  return subtract(sums as unknown as Sums, rows as unknown as readonly Sums[]) as unknown as S;
}

function subtract(sums: Sums, rows: readonly Sums[]): Sums {
  return Object.fromEntries(
    Object.entries(sums).map(([name, sum]) => {
      const parts = rows.map((row) => row[name] ?? 0);
      if (typeof sum !== "number") return [name, subtract(sum, parts.filter((part) => typeof part !== "number"))];
      return [name, parts.reduce<number>((rest, part) => rest - Number(part), sum)];
    }),
  );
}
