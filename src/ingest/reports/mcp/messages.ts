/**
 * Messages of the Model Context Protocol: JSON-RPC 2.0, and no more of the protocol than a server of tools needs.
 *
 * The revision of 2026-07-28 has no handshake: each request names its revision. Those before it begin with `initialize`.
 *
 * @module
 */
import { SDK_VERSION } from "@vendor/sdk/contract";

/** The revision that names itself in each request. */
export const STATELESS_VERSION = "2026-07-28";

/** Revisions that begin with `initialize`, the newest first. */
const HANDSHAKE_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** Where a request of {@linkcode STATELESS_VERSION} names its revision. */
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

const SERVER_INFO = { name: "vendor-ingest", title: "Reports of @vendor/ingest", version: SDK_VERSION } as const;

const CAPABILITIES = { tools: {} } as const;

/** Milliseconds that a client may keep the list of tools. */
const LIST_TTL_MS = 300_000;

/** Codes of JSON-RPC 2.0 and of the protocol, and the HTTP status that goes with each. */
const PROBLEMS = {
  parse: { code: -32700, status: 400 },
  request: { code: -32600, status: 400 },
  method: { code: -32601, status: 404 },
  parameters: { code: -32602, status: 200 },
  headers: { code: -32020, status: 400 },
  version: { code: -32022, status: 400 },
} as const;

/** The answer to a message. */
export interface Reply {
  /** The message. */
  readonly message: { readonly jsonrpc: "2.0"; readonly id: RpcId } & Readonly<Record<string, unknown>>;
  /** HTTP status that goes with it. */
  readonly status: number;
}

type RpcId = string | number | null;

/** The answer of a tool. */
export interface ToolResult {
  /** The text. */
  readonly text: string;
  /** Whether it says why there is nothing else. */
  readonly isError: boolean;
}

/** A tool, as a client is told of it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: { readonly readOnlyHint: true; readonly openWorldHint: false };
}

/** The tools that somebody may call. */
export interface Tools {
  /** Lists them. */
  list(): readonly Tool[];
  /** Calls one; resolves to undefined where there is none of that name. Never rejects. */
  call(name: string, given: Readonly<Record<string, unknown>>): Promise<ToolResult | undefined>;
  /** Instructions for a model on all of them. */
  readonly instructions: string;
}

/** Headers that repeat what a request says, so that a proxy can read it. */
export type RepeatedHeaders = Pick<Headers, "get">;

interface Request {
  readonly id: RpcId;
  readonly method: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The revision that it names itself; absent in those that begin with a handshake. */
  readonly version?: string;
}

/** Answers the text of a message; resolves to undefined for one that wants no answer. Never rejects. */
export async function answerText(
  text: string,
  tools: Tools,
  headers: RepeatedHeaders = new Headers(),
): Promise<Reply | undefined> {
  const message = parse(text);
  if (message === undefined) return refuse(null, "parse", "the message isn't JSON");
  const request = readRequest(message);
  if (request === undefined) return refuse(null, "request", "the message is no request of JSON-RPC 2.0");
  // A notification, or an answer to a question that was never asked.
  if (request === "silent") return undefined;
  const { id, version } = request;
  if (version !== undefined) {
    if (version !== STATELESS_VERSION) {
      const data = { supported: [STATELESS_VERSION, ...HANDSHAKE_VERSIONS], requested: version };
      return refuse(id, "version", "unsupported protocol version", data);
    }
    const wrong = findWrongHeader(request, headers);
    if (wrong !== undefined) return refuse(id, "headers", `header ${wrong} says something else than the message`);
  }
  return await answer(request, tools);
}

async function answer(request: Request, tools: Tools): Promise<Reply> {
  const { id, method, parameters, version } = request;
  switch (method) {
    case "initialize": {
      const wanted = HANDSHAKE_VERSIONS.find((one) => one === parameters["protocolVersion"]);
      const { instructions } = tools;
      const protocolVersion = wanted ?? HANDSHAKE_VERSIONS[0];
      return succeed(request, { protocolVersion, capabilities: CAPABILITIES, serverInfo: SERVER_INFO, instructions });
    }
    case "server/discover": {
      const { instructions } = tools;
      const supportedVersions = [STATELESS_VERSION];
      return succeed(request, {
        supportedVersions,
        capabilities: CAPABILITIES,
        instructions,
        ...toCacheHints(version),
      });
    }
    case "ping":
      return succeed(request, {});
    case "tools/list":
      return succeed(request, { tools: tools.list(), ...toCacheHints(version) });
    case "tools/call": {
      const { name, arguments: given = {} } = parameters;
      if (typeof name !== "string" || !isRecord(given)) {
        return refuse(id, "parameters", "a call has a name, and arguments that are an object");
      }
      const result = await tools.call(name, given);
      if (result === undefined) return refuse(id, "parameters", `there is no tool ${JSON.stringify(name)}`);
      const { text, isError } = result;
      return succeed(request, { content: [{ type: "text", text }], ...(isError && { isError }) });
    }
    default: {
      const refusal = refuse(id, "method", `there is no method ${JSON.stringify(method)}`);
      // A client of an earlier revision takes 404 for an ingest that isn't there.
      return version === undefined ? { ...refusal, status: 200 } : refusal;
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // No JSON text is undefined.
  }
}

function readRequest(message: unknown): Request | "silent" | undefined {
  if (!isRecord(message) || message["jsonrpc"] !== "2.0") return undefined;
  const { id, method, params: parameters = {} } = message;
  if (typeof method !== "string") return id !== undefined && isAnswer(message) ? "silent" : undefined;
  if (id === undefined) return "silent";
  if (typeof id !== "string" && typeof id !== "number" || !isRecord(parameters)) return undefined;
  const meta = parameters["_meta"];
  const version = isRecord(meta) ? meta[VERSION_KEY] : undefined;
  return { id, method, parameters, ...(typeof version === "string" && { version }) };
}

function isAnswer(message: Readonly<Record<string, unknown>>): boolean {
  return "result" in message || "error" in message;
}

/** A proxy may have let a request through for what its headers say. */
function findWrongHeader({ method, parameters, version }: Request, headers: RepeatedHeaders): string | undefined {
  const name = parameters["name"];
  const wanted: readonly (readonly [string, unknown])[] = [
    ["MCP-Protocol-Version", version],
    ["Mcp-Method", method],
    ...(method === "tools/call" ? [["Mcp-Name", name] as const] : []),
  ];
  return wanted.find(([header, value]) => (headers.get(header) ?? value) !== value)?.[0];
}

function toCacheHints(version: string | undefined): Readonly<Record<string, unknown>> {
  // The list depends on the owner of the secret.
  return version === undefined ? {} : { ttlMs: LIST_TTL_MS, cacheScope: "private" };
}

function succeed({ id, version }: Request, result: Readonly<Record<string, unknown>>): Reply {
  const whole = version === undefined
    ? result
    : { resultType: "complete", ...result, _meta: { "io.modelcontextprotocol/serverInfo": SERVER_INFO } };
  return { message: { jsonrpc: "2.0", id, result: whole }, status: 200 };
}

function refuse(id: RpcId, problem: keyof typeof PROBLEMS, text: string, data?: unknown): Reply {
  const { code, status } = PROBLEMS[problem];
  return {
    message: { jsonrpc: "2.0", id, error: { code, message: text, ...(data !== undefined && { data }) } },
    status,
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
