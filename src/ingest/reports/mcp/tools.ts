import type { ReportAccess } from "../access/authenticator.ts";
import type { Schema } from "../query/parameter.ts";
import { isProblem, type Problem } from "../query/query.ts";
import { TEXT } from "../view/schema.ts";
import { type DescribedParameter, LIMIT, listParametersOf } from "../view/shared_parameters.ts";
import type { View } from "../view/view.ts";
import { VIEWS } from "../views/registry.ts";
import { listParameters } from "../views/view_query.ts";
import type { Tool, ToolResult, Tools } from "./messages.ts";

/** Reads a view, and writes it as JSON; `anonymousId` and `userId` stand among the parameters. May reject. */
export type ReadJson = (parameters: URLSearchParams, access: ReportAccess) => Promise<string | Problem>;

/** Options of {@linkcode createTools}. */
export interface ToolsOptions {
  /** Whose tools they are. */
  readonly access: ReportAccess;
  /** Reads a view. */
  readonly read: ReadJson;
  /** Says what went wrong, where a view can't be read. */
  readonly fail: (error: unknown) => Problem;
}

/** Rows of a list where nobody says how many: a model reads all of them. */
const USUAL_ROWS = 100;

const ROWS: DescribedParameter = { ...LIMIT, schema: { ...LIMIT.schema, default: USUAL_ROWS } };

const PERSON: readonly DescribedParameter[] = [
  { name: "anonymousId", schema: TEXT, description: "ID of the visitor; either this or userId." },
  { name: "userId", schema: TEXT, description: "ID of the user, as identify() was given it." },
];

const INSTRUCTIONS = `Each tool is a view of a site's web analytics, counted exactly. Answers are JSON.
Visitors, sessions and steps are of people who agreed to be counted; aggregate pageviews came before a choice, and belong
to nobody. Those who declined are in no figure. consentShare is the share of pageviews with consent.
Days are days of the parameter zone, by default the zone of the key, else UTC; without from and to they are the last 30, today included. Where a
view has a period before, it is as long. Shares and rates are from 0 to 1, null where there is nothing to divide by.
The tool sites lists the sites; the tool goals the goals, whose names a filter takes: goal:Order.
To follow one figure through several views, give each the same site, days, zone and filters.`;

/** Creates the tools of somebody: one a view. What single people did is for those who may read it. */
export function createTools({ access, read, fail }: ToolsOptions): Tools {
  const views = VIEWS.filter(({ subject }) => subject !== "person" || access.mayReadPeople);

  return {
    instructions: INSTRUCTIONS,
    list: () => views.map(toTool),
    call: async (name, given) => {
      const view = views.find((one) => one.name === name);
      if (view === undefined) return undefined;
      try {
        const parameters = toQuery(view, given);
        return toResult(isProblem(parameters) ? parameters : await read(parameters, access));
      } catch (error) {
        return toResult(fail(error));
      }
    },
  };
}

function toTool(view: View): Tool {
  const properties = Object.fromEntries(
    listTaken(view).map(({ name, schema, description }) => [name, {
      ...schema,
      description,
    }]),
  );
  const { name, title, description } = view;
  return {
    name,
    title,
    description,
    inputSchema: { type: "object", properties, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

/** Lists what a view can be asked for. */
function listTaken(view: View): readonly DescribedParameter[] {
  return [
    ...listParametersOf(view),
    ...(view.subject === "person" ? PERSON : []),
    ...listParameters(view.parameters).map(([, parameter]) => parameter),
    ROWS,
  ];
}

/** Writes arguments as the parameters of a URL. */
function toQuery(view: View, given: Readonly<Record<string, unknown>>): URLSearchParams | Problem {
  const taken = listTaken(view);
  const query = new URLSearchParams({ view: view.name });
  for (const [name, value] of Object.entries(given)) {
    const parameter = taken.find((one) => one.name === name);
    if (parameter === undefined) {
      return refuse(
        `there is no argument ${JSON.stringify(name)}; there are ${taken.map((one) => one.name).join(", ")}`,
      );
    }
    const texts = toTexts(value, parameter.schema);
    if (texts === undefined) return refuse(`the argument ${name} is of another type: see its schema`);
    for (const text of texts) query.append(name, text);
  }
  if (!query.has(ROWS.name)) query.set(ROWS.name, `${USUAL_ROWS}`);
  return query;
}

/** Writes an argument as texts; undefined for what isn't one. A model gives a list of one as the one, at times. */
function toTexts(value: unknown, schema: Schema): readonly string[] | undefined {
  const values: readonly unknown[] = schema["type"] === "array" && Array.isArray(value) ? value : [value];
  const texts = values.flatMap((one) => typeof one === "string" || typeof one === "number" ? [String(one)] : []);
  return texts.length === values.length ? texts : undefined;
}

function refuse(message: string): Problem {
  return { status: 400, code: "bad_argument", message };
}

function toResult(read: string | Problem): ToolResult {
  if (typeof read === "string") return { text: read, isError: false };
  const { code, message } = read;
  return { text: JSON.stringify({ error: { code, message } }), isError: true };
}
