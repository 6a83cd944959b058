import type { ReportAccess } from "./access/authenticator.ts";
import { toPerson } from "./access/person.ts";
import { addPerson, readAsked } from "./asked.ts";
import { isProblem, type Problem, readLimit } from "./query/query.ts";
import { FEW_TEXT, isFew } from "./query/few.ts";
import { MAX_ROWS, type ViewObject, type ViewSource } from "./view/view.ts";

/** Writes a view as JSON. A small count that isn't told is a text. */
export function writeJson(object: ViewObject): string {
  return `${JSON.stringify(object, (_, value: unknown) => isFew(value) ? FEW_TEXT : value)}\n`;
}

/** Reads what the parameters of a URL ask for, and whose events where the view is of a person, and writes it as JSON. */
export async function readViewJson(
  source: ViewSource,
  parameters: URLSearchParams,
  { key }: Pick<ReportAccess, "key">,
): Promise<string | Problem> {
  const asked = await readAsked(source, parameters, key);
  if (isProblem(asked)) return asked;
  const person = asked.view.subject === "person" ? toPerson(parameters) : undefined;
  if (isProblem(person)) return person;
  const limit = readLimit(parameters, MAX_ROWS);
  if (isProblem(limit)) return limit;
  const { request } = person === undefined ? asked : addPerson(asked, person);
  return writeJson(await asked.view.read(source, request, limit));
}
