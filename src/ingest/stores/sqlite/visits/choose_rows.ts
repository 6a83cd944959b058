import type { ListChoice, Listed } from "../../../ports/reader.ts";
import { compareTexts } from "./order.ts";

/** More than any list has. */
const ALL_ROWS = 2 ** 31;

type Value = string | number | null;

/** Reads the columns of a row, its name among them. */
type ReadColumns<T> = (row: T) => Readonly<Record<string, Value>> & { readonly name: string };

/** Lists the chosen rows of a list, which is read whole for that. */
export function chooseRows<T extends object>(
  list: (rows: number) => Listed<T>,
  { rows, choice, read }: {
    readonly rows: number;
    readonly choice: ListChoice | undefined;
    readonly read: ReadColumns<T>;
  },
): Listed<T> {
  if (choice === undefined) return list(rows);
  const { sort, isAscending = false, contains, names, skip = 0 } = choice;
  const text = contains?.toWellFormed();
  const forms = text === undefined ? [] : [text, ...[text, text.toLowerCase(), text.toUpperCase()].map(encodeURI)];
  const chosen = list(ALL_ROWS).rows.filter((row) => {
    const { name } = read(row);
    const isFound = forms.length === 0 || forms.some((form) => name.toLowerCase().includes(form.toLowerCase()));
    return isFound && (names === undefined || names.includes(name));
  });
  const sorted = sort === undefined
    ? chosen
    : chosen.toSorted((one, other) => compare(read(one)[sort] ?? null, read(other)[sort] ?? null, isAscending));
  const listed = sorted.slice(skip, skip + rows);
  const others = [...sorted.slice(0, skip), ...sorted.slice(skip + rows)];
  return {
    rows: listed,
    count: chosen.length,
    other: others.length === 0 ? null : addUp(others) as Listed<T>["other"],
  };
}

function compare(one: Value, other: Value, isAscending: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  const order = typeof one === "string" ? compareTexts(one, String(other)) : one - Number(other);
  return isAscending ? order : -order;
}

/** Adds up numbers, but for visitors. */
function addUp(rows: readonly object[]): object {
  return rows.map((row) => Object.entries(row)).reduce<Record<string, unknown>>((sums, entries) => {
    for (const [name, value] of entries) {
      if (name === "visitors") continue;
      if (typeof value === "number") sums[name] = Number(sums[name] ?? 0) + value;
      if (name === "views") sums[name] = addUp([...(sums[name] === undefined ? [] : [sums[name] as object]), value]);
    }
    return sums;
  }, {});
}

/** Divides; null where there is nothing to divide by. */
export function divide(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
