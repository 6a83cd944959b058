/**
 * Query of a view of a report, read from its URL.
 *
 * @module
 */
import { GOAL_COLUMNS } from "../../ports/reader.ts";
import type { Parameter } from "../query/parameter.ts";
import { isProblem, type Problem, readOneOf } from "../query/query.ts";
import { listSharedParameters, readSharedQuery, type ViewQuery } from "../query/view_query.ts";
import type { View } from "../view/view.ts";
import { VIEWS } from "./registry.ts";

/** Names of the views. */
export const VIEW_NAMES: readonly string[] = VIEWS.map(({ name }) => name);

/** Reads what is asked for of the view, and of all others: a link to one of them has it. An empty parameter counts as missing. */
export function readViewQuery(parameters: URLSearchParams, now: number): ViewQuery | Problem {
  const view = readOneOf(parameters, "view", VIEW_NAMES);
  if (view === undefined) {
    return { status: 400, code: "bad_view", message: `view must be one of ${VIEW_NAMES.join(", ")}` };
  }
  const shared = readSharedQuery(parameters, now);
  if (isProblem(shared)) return shared;
  const query: Record<string, unknown> & ViewQuery = { view, ...shared };
  for (const { parameters: own, checkQuery } of VIEWS) {
    for (const [name, parameter] of listParameters(own)) {
      const value = parameter.read(parameters.getAll(parameter.name));
      if (isProblem(value)) return value;
      if (value !== undefined) query[name] = value;
    }
    const problem = checkQuery?.(query);
    if (problem !== undefined) return problem;
  }
  return findSortProblem(query) ?? query;
}

/** Says which columns there are where a list is to be sorted by another one. */
function findSortProblem(
  { view, sort, goal, step }: ViewQuery & Readonly<Partial<Record<"sort" | "goal" | "step", unknown>>>,
): Problem | undefined {
  const { columns } = findView({ view });
  if (columns === undefined || sort === undefined) return undefined;
  if (!columns.some((column) => column === sort)) return refuseSort(`sort must be one of ${columns.join(", ")}`);
  if (!GOAL_COLUMNS.some((column) => column === sort)) return undefined;
  if (goal === undefined) return refuseSort(`sort by ${sort} needs goal`);
  return view === "steps" && step === undefined ? refuseSort(`sort by ${sort} needs step`) : undefined;
}

function refuseSort(message: string): Problem {
  return { status: 400, code: "bad_sort", message };
}

/** Writes what {@linkcode readViewQuery} reads, of the view alone; what is by default is left out, but for site and days. */
export function writeViewQuery(query: ViewQuery & { readonly site: string }): URLSearchParams {
  const values: Readonly<Record<string, unknown>> = { ...query };
  const own = findView(query).parameters;
  return new URLSearchParams([
    ...(query.view === VIEW_NAMES[0] ? [] : [["view", query.view]]),
    ...listSharedParameters(query).map((pair) => [...pair]),
    ...listParameters(own).flatMap(([name, parameter]) =>
      parameter.write(values[name]).map((text) => [parameter.name, text])
    ),
  ]);
}

/** Lists the parameters of a view by what they are called in code. */
export function listParameters(
  parameters: object,
): readonly (readonly [name: string, parameter: Parameter<unknown>])[] {
  return Object.entries<Parameter<unknown>>({ ...parameters });
}

/** Finds the view that is asked for. */
export function findView({ view }: Pick<ViewQuery, "view">): View {
  const found = VIEWS.find(({ name }) => name === view);
  if (found === undefined) throw new TypeError(`there is no view ${view}`);
  return found;
}

/** Lists the goals that a query names, in filters and in what any view is asked for. */
export function listGoals(query: ViewQuery): readonly string[] {
  return [
    ...query.filters.flatMap(({ name, values }) => name === "goal" ? values : []),
    ...VIEWS.flatMap(({ listGoals: ofView }) => ofView?.(query) ?? []),
  ];
}
