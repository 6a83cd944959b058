import { REFUSAL_STATUSES } from "../../src/ingest/contract/refusal.ts";
import { MAX_BODY_BYTES } from "../../src/ingest/http/body.ts";
import type { BusyCode } from "../../src/ingest/server/http/answer_busy.ts";
import { buildGetReport, buildPostReport, buildReportSchemas } from "./build_report_schemas.ts";
import { buildDefinitions } from "./build_schemas.ts";

/** A piece of the document. */
type Part = Readonly<Record<string, unknown>>;

const MEANINGS: Readonly<Record<string, string>> = {
  "400": "The headers or the body break the specification.",
  "401": "The key is missing or unknown, or the sending secret isn't one of its own. The sender is to stop.",
  "403":
    "The origin isn't registered for the key, or a request with an origin carries a sending secret. The sender is to stop.",
  "404": "There is nothing at this path.",
  "405": "Events are sent with POST.",
  "408": "The program: the request didn't arrive in time.",
  "413":
    `More than ${MAX_BODY_BYTES} bytes, as sent or decompressed, more than 100 events, or more than 100000 JSON values. The sender is to halve.`,
  "415": "The body isn't announced as JSON, or is compressed in another way than gzip.",
  "417": "The program: header Expect must be 100-continue.",
  "429":
    "Too many requests with this key, or too many unfinished ones from this address. The sender is to come back after Retry-After.",
  "431": "The program: the headers are larger than 16 KiB.",
  "503": "The events couldn't be stored. The sender is to come back after Retry-After.",
};

/** Answers of the program, and of a sink that takes no event of a size, beside the refusals of the handler. */
const PROGRAM_STATUSES:
  & Readonly<Record<BusyCode, number>>
  & Readonly<Record<"event_too_large" | "expectation_failed" | "headers_too_large" | "request_timeout", number>> = {
    event_too_large: 413,
    expectation_failed: 417,
    headers_too_large: 431,
    overloaded: 503,
    request_timeout: 408,
    stopping: 503,
    timeout: 503,
    too_many_bodies: 429,
  };

const STATUSES: Readonly<Record<string, number>> = { ...REFUSAL_STATUSES, ...PROGRAM_STATUSES };

const CORS: Part = {
  "Access-Control-Allow-Origin": {
    description: "The request's `Origin`; `*` for a request without one.",
    schema: { type: "string" },
    required: true,
  },
  "Access-Control-Allow-Credentials": {
    description: "Present where the request has an `Origin`. No cookie is read.",
    schema: { const: "true" },
  },
  "Access-Control-Expose-Headers": { schema: { const: "Retry-After" }, required: true },
};

const RETRY_AFTER: Part = {
  "Retry-After": { description: "Seconds.", schema: { type: "integer", minimum: 0 }, required: true },
};

/** Builds the OpenAPI 3.1 document of the ingest (SPEC 4.1). */
export function buildOpenApi(version: string): Part {
  const openapi = {
    openapi: "3.1.1",
    info: {
      title: "@vendor/sdk ingest",
      version,
      summary: "Receives the events of @vendor/sdk, and reports them.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "https://ingest.vendor.example" }],
    // A page is known by its Origin, a backend by its secret.
    security: [{ publishableKey: [] }, { publishableKey: [], sendingSecret: [] }],
    paths: {
      "/v1/events": { post: buildPost(), options: buildPreflight() },
      "/reports": { get: buildGetReport(), post: buildPostReport() },
    },
    components: {
      schemas: { ...buildComponents(), ...buildReportSchemas() },
      securitySchemes: { publishableKey: KEY_SCHEME, sendingSecret: SECRET_SCHEME, ...REPORT_SCHEMES },
    },
  };
  return JSON.parse(JSON.stringify(openapi).replaceAll("#/$defs/", "#/components/schemas/"));
}

const KEY_SCHEME: Part = {
  type: "apiKey",
  in: "header",
  name: "X-API-Key",
  description: "Publishable key, safe in browser code. It may be used from the sites that are registered for it.",
};

const SECRET_SCHEME: Part = {
  type: "http",
  scheme: "bearer",
  description:
    "Sending secret of the key, for backends: it takes the place of a registered Origin, and is refused beside one.",
};

const REPORT_SCHEMES: Part = {
  reportSecret: { type: "http", scheme: "basic", description: "Any user name, and the key's secret as the password." },
  reportSecretBearer: { type: "http", scheme: "bearer", description: "The key's secret." },
};

function buildPost(): Part {
  const bodies = ["EventRequestPayload", "AggregatePageviewPayload"];
  return {
    operationId: "sendEvents",
    summary: "Sends a batch of events",
    description:
      "An event is stored once per key and event ID, whichever batch it comes in. Unknown fields are ignored.",
    parameters: [
      { name: "X-Vendor-SDK-Version", in: "header", required: true, schema: { type: "string", minLength: 1 } },
    ],
    requestBody: {
      required: true,
      description: "May be compressed with gzip, as `Content-Encoding` says.",
      content: { "application/json": { schema: { oneOf: bodies.map((name) => ({ $ref: `#/$defs/${name}` })) } } },
    },
    responses: {
      "202": {
        description: "Every event is durable, or was before.",
        headers: CORS,
        content: { "application/json": { schema: { $ref: "#/$defs/Accepted" } } },
      },
      ...Object.fromEntries(
        [...new Set(Object.values(STATUSES))].sort().map((status) => [status, buildError(status)]),
      ),
    },
  };
}

function buildError(status: number): Part {
  const codes = Object.entries(STATUSES).filter(([, other]) => other === status).map(([code]) => code);
  const isOfHandler = Object.values<number>(REFUSAL_STATUSES).includes(status);
  const isTemporary = status === 429 || status === 503;
  return {
    description: `${MEANINGS[status]} Code: ${codes.join(", ")}.`,
    ...(isOfHandler && { headers: { ...CORS, ...(isTemporary && RETRY_AFTER) } }),
    content: { "application/json": { schema: { $ref: "#/$defs/Error" } } },
  };
}

function buildPreflight(): Part {
  return {
    operationId: "preflight",
    summary: "Answers a browser's preflight, from any origin",
    security: [],
    responses: {
      "204": {
        description: "The request may be sent.",
        headers: {
          ...CORS,
          "Access-Control-Allow-Methods": { schema: { const: "POST" }, required: true },
          "Access-Control-Allow-Headers": {
            description: "The names that Access-Control-Request-Headers asks for, or those of the SDK.",
            schema: { type: "string" },
            required: true,
          },
          "Access-Control-Max-Age": { schema: { type: "integer", const: 7200 }, required: true },
        },
      },
    },
  };
}

function buildComponents(): Part {
  const count = { type: "integer", minimum: 0 };
  const text = { type: "string" };
  return {
    ...buildDefinitions(),
    Accepted: {
      type: "object",
      properties: {
        accepted: { ...count, description: "Events stored now." },
        duplicates: { ...count, description: "Events stored before." },
        refused: { ...count, description: "Events left out because they break the plan, where that is refused." },
      },
      required: ["accepted", "duplicates"],
    },
    Error: {
      type: "object",
      properties: {
        error: {
          type: "object",
          properties: {
            code: { ...text, description: "Machine-readable reason.", examples: Object.keys(STATUSES) },
            message: { ...text, description: "One sentence for the developer who reads it." },
          },
          required: ["code", "message"],
        },
      },
      required: ["error"],
    },
  };
}
