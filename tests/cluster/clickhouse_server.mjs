// Today's ClickHouse for tests: the engine in process, from the npm package chdb, behind as much of the HTTP interface
// as @clickhouse/client uses. `node clickhouse_server.mjs <port> <data folder>` in a folder that has chdb; it prints
// "ready". It answers one request after the other, and may be killed at any moment.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";

const [port, folder] = process.argv.slice(2);
const { Session } = createRequire(`${process.cwd()}/`)("chdb");
const session = new Session(folder);

/** What the client says in the URL beside the settings of a query. */
const NO_SETTINGS = new Set(["query", "query_id", "database", "user", "password", "role", "default_format"]);
const IGNORED = new Set(["enable_http_compression", "send_progress_in_http_headers", "wait_end_of_query"]);

const PARAMETER = "param_";

const ESCAPES = { t: "\t", n: "\n", r: "\r", 0: "\0", b: "\b", f: "\f" };

/** The client writes a value as tab-separated text has it. */
function readText(text) {
  return text.replace(/\\([\s\S])/g, (_, letter) => ESCAPES[letter] ?? letter);
}

function quote(text) {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

function readRequest(url, body) {
  const names = [...url.searchParams.keys()];
  const settings = names.filter((name) => !NO_SETTINGS.has(name) && !IGNORED.has(name) && !name.startsWith(PARAMETER));
  const parameters = names.filter((name) => name.startsWith(PARAMETER));
  const query = url.searchParams.get("query");
  return {
    database: url.searchParams.get("database"),
    text: query === null ? body : `${query}\n${body}`,
    settings: settings.map((name) => [name, url.searchParams.get(name)]),
    values: Object.fromEntries(
      parameters.map((name) => [name.slice(PARAMETER.length), readText(url.searchParams.get(name))]),
    ),
  };
}

function execute({ database, text, settings, values }) {
  // The engine in process takes the format of an answer apart from its query.
  const [, query, format] = /^([\s\S]*?)\s*(?:\bFORMAT\s+(\w+)\s*)?$/.exec(text);
  const isInsert = /^\s*INSERT\b/i.test(text);
  try {
    if (database) session.query(`USE \`${database}\``);
    for (const [name, value] of settings) session.query(`SET ${name} = ${quote(value)}`);
    if (isInsert) return session.query(text, "TabSeparated");
    if (Object.keys(values).length > 0) return session.queryBind(query, values, format ?? "TabSeparated");
    return session.query(query, format ?? "TabSeparated");
  } finally {
    for (const [name] of settings) session.query(`SET ${name} = DEFAULT`);
  }
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  if (url.pathname === "/ping") return response.end("Ok.\n");
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
    const answer = execute(readRequest(url, body.toString()));
    response.writeHead(200, { "x-clickhouse-query-id": url.searchParams.get("query_id") ?? "" }).end(answer);
  } catch (error) {
    const message = String(error.message);
    const code = /Code: (\d+)/.exec(message)?.[1] ?? "0";
    response.writeHead(500, { "x-clickhouse-exception-code": code }).end(message);
  }
});
server.listen(Number(port), "127.0.0.1", () => console.log("ready"));
