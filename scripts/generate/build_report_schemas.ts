/**
 * Part of the OpenAPI document on `/reports`.
 *
 * @module
 */
import type { Schema } from "../../src/ingest/reports/query/parameter.ts";
import { objectOf, schemaOf, SHARED_SCHEMAS, TEXT } from "../../src/ingest/reports/view/schema.ts";
import { type DescribedParameter, LIMIT, SHARED_PARAMETERS } from "../../src/ingest/reports/view/shared_parameters.ts";
import { VIEWS } from "../../src/ingest/reports/views/registry.ts";
import { listParameters, VIEW_NAMES } from "../../src/ingest/reports/views/view_query.ts";

/** Builds the schemas of the views, by name. */
export function buildReportSchemas(): Schema {
  return Object.assign({}, SHARED_SCHEMAS, ...VIEWS.map(({ schemas }) => schemas));
}

/** Builds the operation that answers with a view. */
export function buildGetReport(): Schema {
  const views = VIEWS.filter(({ subject }) => subject !== "person")
    .map(({ name }) => `${name.charAt(0).toUpperCase()}${name.slice(1)}View`);
  return {
    operationId: "getReport",
    summary: "Answers with a view of a site's report",
    security: [{ reportSecret: [] }, { reportSecretBearer: [] }],
    parameters: [
      query(
        "view",
        { enum: VIEW_NAMES, default: VIEW_NAMES[0] },
        "The view. That of a person is asked for with POST; a GET has the page with its form.",
      ),
      ...SHARED_PARAMETERS.map(toQueryParameter),
      ...listOwnParameters(),
      query("format", { enum: ["html", "json", "csv", ""], default: "html" }, "Form of the answer."),
      toQueryParameter(LIMIT),
      query("bom", TEXT, "`1` begins CSV with a byte order mark, which Excel needs."),
    ],
    responses: buildResponses({ oneOf: views.map(schemaOf) }, REFUSALS),
  };
}

/** Builds the operation that answers with the events of a person. */
export function buildPostReport(): Schema {
  // Other fields of a form are ignored.
  const ids = (["anonymousId", "userId"] as const).map((name) => ({
    ...objectOf({ [name]: { ...TEXT, minLength: 1 } }),
    additionalProperties: true,
  }));
  return {
    operationId: "getPerson",
    summary: "Answers with the newest events of a visitor or a user on a site",
    security: [{ reportSecret: [] }, { reportSecretBearer: [] }],
    parameters: [
      { ...query("view", { const: "person" }, "The view."), required: true },
      ...SHARED_PARAMETERS.filter(({ name }) => name === "site").map(toQueryParameter),
      query("zone", { ...TEXT, default: "UTC" }, "Time zone of the times on the page, by its IANA name."),
      query("format", { enum: ["html", "json", "csv", ""], default: "html" }, "Form of the answer."),
      query("bom", TEXT, "`1` begins CSV with a byte order mark, which Excel needs."),
    ],
    requestBody: {
      required: true,
      description: "Whose events: either field, in 16,384 bytes at most.",
      content: { "application/x-www-form-urlencoded": { schema: { oneOf: ids } } },
    },
    responses: buildResponses(schemaOf("PersonView"), [
      ...REFUSALS,
      ["405", "The view isn't that of a person."],
      ["413", "The body is too large."],
      ["415", "The body isn't a form."],
    ]),
  };
}

/** Lists the parameters that a view alone has, each once. */
function listOwnParameters(): readonly Schema[] {
  const all = VIEWS.flatMap(({ parameters }) => listParameters(parameters).map(([, parameter]) => parameter));
  const names = [...new Set(all.map(({ name }) => name))];
  return names.map((name) => toQueryParameter(mergeWords(all.filter((one) => one.name === name))));
}

/** Makes one of the parameters of a name; the words of one are those of any. */
function mergeWords([first, ...others]: readonly DescribedParameter[]): DescribedParameter {
  if (first === undefined) throw new TypeError("there is no parameter");
  const words = [first, ...others].map(({ schema }) => schema["enum"]);
  if (!words.every((list) => Array.isArray(list))) return first;
  return { ...first, schema: { ...first.schema, enum: [...new Set(words.flat())] } };
}

function toQueryParameter({ name, schema, description }: DescribedParameter): Schema {
  return {
    ...query(name, schema, description),
    ...(schema["type"] === "array" && { style: "form", explode: true }),
  };
}

function buildResponses(json: Schema, refusals: typeof REFUSALS): Schema {
  return {
    "200": {
      description: "The view.",
      content: {
        "application/json": { schema: json },
        "text/csv": { schema: TEXT },
        "text/html": { schema: TEXT },
      },
    },
    ...Object.fromEntries(refusals.map(([status, description]) => [status, refusal(description)])),
  };
}

const REFUSALS: readonly (readonly [status: string, description: string])[] = [
  ["400", "A parameter is wrong; the message says which."],
  ["401", "The secret is missing or wrong."],
  ["403", "The secret doesn't open what single people did."],
  ["404", "The site isn't registered for the key."],
  ["429", "Too many wrong secrets came from this address."],
  ["503", "The store can't be read at the moment."],
];

function refusal(description: string): Schema {
  // A page where no other format was asked for.
  const content = { "application/json": { schema: schemaOf("Error") }, "text/html": { schema: TEXT } };
  return { description, content };
}

function query(name: string, schema: Schema, description: string): Schema {
  return { name, in: "query", required: false, description, schema };
}
