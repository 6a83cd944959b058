/**
 * Routes, preflights, headers and senders (SPEC 4.1 and 5).
 *
 * @module
 */
import { Deviation, expectStatus, expectStored } from "./answer.ts";
import { newFull } from "./bodies.ts";
import type { Case } from "./case.ts";
import type { RequestOptions, Target } from "./target.ts";

const STRANGER = "https://not-registered.example";

const PREFLIGHT = {
  "Origin": STRANGER,
  "Access-Control-Request-Method": "POST",
  "Access-Control-Request-Headers": "content-type,x-api-key,x-vendor-sdk-version",
  "X-API-Key": null,
  "Content-Type": null,
  "X-Vendor-SDK-Version": null,
};

/** Headers that a page's tracing, or its fetch wrapper, adds to every request. */
const ADDED_NAMES = ["authorization", "baggage", "sentry-trace", "traceparent", "x-requested-with"];

function listOf(text: string | null): readonly string[] {
  return (text ?? "").toLowerCase().split(/\s*,\s*/);
}

async function checkPreflight(target: Target): Promise<void> {
  const answer = await target.send({ method: "OPTIONS", headers: PREFLIGHT });
  expectStatus(answer, 204);
  const headers = listOf(answer.headers.get("Access-Control-Allow-Headers"));
  for (const name of ["content-type", "x-api-key", "x-vendor-sdk-version"]) {
    if (!headers.includes(name) && !headers.includes("*")) throw new Deviation(`a preflight doesn't allow ${name}`);
  }
  const age = answer.headers.get("Access-Control-Max-Age");
  if (age !== "7200") throw new Deviation(`a preflight may be cached ${age} s, not 7200`);
  const methods = listOf(answer.headers.get("Access-Control-Allow-Methods"));
  if (!methods.includes("post") && !methods.includes("*")) throw new Deviation("a preflight doesn't allow POST");
}

async function checkAddedNames(target: Target): Promise<void> {
  const asked = [...ADDED_NAMES, "content-type", "x-api-key", "x-vendor-sdk-version"];
  const headers = { ...PREFLIGHT, "Access-Control-Request-Headers": asked.join(",") };
  const answer = await target.send({ method: "OPTIONS", headers });
  expectStatus(answer, 204);
  const allowed = listOf(answer.headers.get("Access-Control-Allow-Headers"));
  for (const name of asked) {
    // An asterisk doesn't stand for this one (Fetch standard, CORS-preflight fetch).
    const isCovered = allowed.includes(name) || (name !== "authorization" && allowed.includes("*"));
    if (!isCovered) throw new Deviation(`a preflight doesn't allow ${name}, which a page may add`);
  }
}

/** A case that sends one valid body in an odd request and looks at the status. */
function answers(status: number, what: string, change: (target: Target) => RequestOptions): Case {
  return {
    name: `answers ${status} to ${what}`,
    run: async (target) => {
      const request = change(target);
      const isBodiless = /^(?:GET|HEAD)$/.test(request.method ?? "");
      const answer = await target.send({ ...(!isBodiless && { body: newFull(target) }), ...request });
      if (request.method !== "HEAD") return expectStatus(answer, status);
      if (answer.status !== status) throw new Deviation(`expected ${status}, got ${answer.status}`);
    },
  };
}

function withHeaders(status: number, what: string, headers: Readonly<Record<string, string | null>>): Case {
  return answers(status, what, () => ({ headers }));
}

function from(what: string, toOrigin: (origin: string) => string): Case {
  const change = ({ origin = "" }: Target): RequestOptions => ({ headers: { "Origin": toOrigin(origin) } });
  return { ...answers(403, what, change), needsOrigin: true };
}

/** The cases. */
export const REQUEST_CASES: readonly Case[] = [
  { name: "answers 204 to a preflight from any origin, without key, to be kept 7200 s", run: checkPreflight },
  { name: "allows in a preflight whatever headers a page may add", run: checkAddedNames },
  {
    name: "answers 202 to what the SDK sends",
    run: async (target) => void expectStored(await target.post(newFull(target)), { accepted: 1, duplicates: 0 }),
  },
  answers(404, "another path", ({ url }) => ({ url: new URL("/no/such/path", url).href })),
  answers(405, "GET", () => ({ method: "GET" })),
  answers(405, "HEAD", () => ({ method: "HEAD" })),
  answers(405, "PUT", () => ({ method: "PUT" })),
  answers(405, "PATCH", () => ({ method: "PATCH" })),
  answers(405, "DELETE", () => ({ method: "DELETE" })),
  withHeaders(401, "a request without key", { "X-API-Key": null }),
  withHeaders(401, "an empty key", { "X-API-Key": "" }),
  withHeaders(401, "an unknown key", { "X-API-Key": "pk_nobody_knows_this_one" }),
  answers(401, "a key with something added", ({ key }) => ({ headers: { "X-API-Key": `${key}x` } })),
  answers(401, "a key with something missing", ({ key }) => ({ headers: { "X-API-Key": key.slice(0, -1) } })),
  answers(401, "a key in the query", ({ url, key }) => ({ url: `${url}?key=${key}`, headers: { "X-API-Key": null } })),
  answers(401, "a key in the body", (target) => ({
    headers: { "X-API-Key": null },
    body: { ...newFull(target), apiKey: target.key },
  })),
  from("an origin that isn't registered", () => STRANGER),
  from("an opaque origin", () => "null"),
  from(
    "the site's host over another scheme",
    (origin) => origin.replace(/^https?/, (s) => s === "http" ? "https" : "http"),
  ),
  from("the site's host on another port", (origin) => `${origin.replace(/:\d+$/, "")}:4711`),
  from("an origin that begins like the site's", (origin) => `${origin}.evil.example`),
  withHeaders(415, "a body without Content-Type", { "Content-Type": "" }),
  withHeaders(415, "plain text", { "Content-Type": "text/plain" }),
  withHeaders(415, "a form", { "Content-Type": "application/x-www-form-urlencoded" }),
  withHeaders(415, "a type that begins like JSON", { "Content-Type": "application/jsonp" }),
  withHeaders(415, "a compression nobody asked for", { "Content-Encoding": "br" }),
  withHeaders(415, "a compression nobody knows", { "Content-Encoding": "pigz" }),
  withHeaders(202, "JSON that says it is UTF-8", { "Content-Type": "application/json; charset=utf-8" }),
  withHeaders(202, "JSON with a misspelt charset", { "Content-Type": "application/json;charset=utf8" }),
  withHeaders(202, "JSON with another parameter", { "Content-Type": "application/json; odata=verbose" }),
  withHeaders(400, "a request without SDK version", { "X-Vendor-SDK-Version": null }),
  withHeaders(202, "a version other than that of the body", { "X-Vendor-SDK-Version": "9.9.9" }),
];
