/**
 * Holds the ingest to its OpenAPI document: starts the program, and has schemathesis make up requests of the document,
 * right and wrong ones. `pip install schemathesis` puts it into a virtual environment; SCHEMATHESIS names its program.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { startIngest } from "../../tests/cluster/ingest_process.ts";
import { runProcess } from "../support/process.ts";

const DOCUMENT = fileURLToPath(new URL("../../src/ingest/contract/generated/openapi.json", import.meta.url));

const [KEY, ORIGIN, SECRET] = ["pk_live_123", "https://shop.example", `sk_${crypto.randomUUID()}`];

/** Most requests of an operation. */
const EXAMPLES = "300";

/**
 * A right request may be refused: JSON Schema doesn't say that a day exists or that a URL is one, nor which days, filters
 * and views go together. A wrong one may be too large.
 */
const CONFIG = `[checks]
unsupported_method.enabled = false
positive_data_acceptance.enabled = false
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 413, 415, 429]
`;

const command = Deno.env.get("SCHEMATHESIS") ?? "schemathesis";
const directory = await Deno.makeTempDir({ prefix: "vendor-openapi-" });
const args = ["--key", `${KEY}=${ORIGIN}`, "--sink", `sqlite:${directory}/events.db`];
const ingest = await startIngest(args, { env: { INGEST_REPORT_SECRET: SECRET } });
let isClean = true;
await Deno.writeTextFile(`${directory}/schemathesis.toml`, CONFIG);
for (const path of ["/v1/events", "/reports"]) {
  const headers = path === "/reports"
    ? [`Authorization: Bearer ${SECRET}`]
    : [`X-API-Key: ${KEY}`, `Origin: ${ORIGIN}`];
  const { code } = await runProcess(command, {
    args: [
      ...["run", DOCUMENT, "--url", ingest.origin, "--include-path", path, "--max-examples", EXAMPLES],
      ...["--suppress-health-check", "all"],
      ...headers.flatMap((header) => ["-H", header]),
    ],
    cwd: directory,
  });
  isClean &&= code === 0;
}
await ingest.end();
await Deno.remove(directory, { recursive: true });
Deno.exit(isClean ? 0 : 1);
