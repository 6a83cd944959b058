import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { createMemorySink } from "../../../../src/ingest/mod.ts";
import { createApp } from "../../../../src/ingest/server/http/app.ts";
import { listen, type Listener, type ListenOptions } from "../../../../src/ingest/server/http/listen.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";
import { answerRefusal } from "../../../../src/ingest/http/answers.ts";
import { FULL, headersOf, KEY, ORIGIN } from "../../fixtures.ts";
import { exchange, type Exchanged } from "./raw_exchange.ts";

const HEAD = ["POST /v1/events HTTP/1.1", "Host: x", ...[...headersOf()].map(([name, value]) => `${name}: ${value}`)];

const OPTIONS: ListenOptions = {
  host: "127.0.0.1",
  port: 0,
  portFlag: "--port",
  requestTimeoutMs: 10_000,
  handle: (request) => Promise.resolve(new Response(request.path)),
};

async function withIngest(use: (listener: Listener) => Promise<void>): Promise<void> {
  const app = createApp({
    keys: [{ apiKey: KEY, origins: [ORIGIN] }],
    sink: createMemorySink(),
    path: "/v1/events",
    maxPending: 10,
    requestTimeoutMs: 10_000,
    log: () => {},
  });
  const listener = await listen({ ...OPTIONS, handle: app.handle });
  try {
    await use(listener);
  } finally {
    await listener.stop();
  }
}

/** Holds an answer to the form of the contract; returns its status, and its error's code where it has one. */
function read({ text }: Exchanged): string {
  const [head = "", body = ""] = text.split("\r\n\r\n");
  assertMatch(head, /\r\naccess-control-allow-origin: (?:\*|https:\/\/shop\.example)(?:\r\n|$)/i, text);
  assertMatch(head, /\r\ncontent-type: application\/json(?:\r\n|$)/i, text);
  return `${head.split(" ")[1]} ${JSON.parse(body).error?.code ?? "ok"}`;
}

Deno.test("listen() answers until it is stopped, and tells the address of the sender", async () => {
  const handle: ListenOptions["handle"] = async (request, { address }) => {
    const body = new TextDecoder().decode(await request.read({ bytes: 10 }));
    return new Response(`${request.method} ${request.path} ${body} ${address}`, { status: 202 });
  };
  const listener = await listen({ ...OPTIONS, handle });

  const url = `http://127.0.0.1:${listener.port}/a`;
  const answer = await fetch(url, { method: "POST", body: "b", headers: { Connection: "close" } });
  assertEquals([answer.status, await answer.text()], [202, "POST /a b 127.0.0.1"]);
  await listener.stop();

  await assertRejects(() => fetch(url));
});

Deno.test("listen() says that its port is in use", async () => {
  using other = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = other.addr;

  await assertRejects(
    () => listen({ ...OPTIONS, port }),
    ServerFault,
    `can't listen on 127.0.0.1 port ${port}: the port is in use; choose another with --port`,
  );
});

Deno.test("listen() answers in JSON that any page can read whatever can't become a request of the ingest", () =>
  withIngest(async ({ port }) => {
    const bad = async (...lines: string[]) => read(await exchange(port, `${lines.join("\r\n")}\r\n\r\n`));

    assertEquals(await bad("HELLO"), "400 malformed");
    assertEquals(await bad("POST /v1/events HTTP/1.1", "A B: c"), "400 malformed");
    assertEquals(await bad(...HEAD, "Content-Length: 2", "Transfer-Encoding: chunked"), "400 malformed");
    assertEquals(await bad(...HEAD, `A: ${"x".repeat(20_000)}`), "431 headers_too_large");
    assertEquals(
      await bad(...HEAD, "Content-Length: 2", "Expect: cake", "Connection: close"),
      "417 expectation_failed",
    );
    assertEquals(await bad("POST /v1/events HTTP/1.1", "Connection: close"), "400 malformed");
    assertEquals(await bad("GET http://[::bad/ HTTP/1.1", "Host: x", "Connection: close"), "400 malformed");
    assertEquals(await bad("TRACE / HTTP/1.1", "Host: x", "Connection: close"), "405 method_not_allowed");
    assertEquals(await bad("GET //v1/events HTTP/1.1", "Host: x", "Connection: close"), "404 not_found");
  }));

Deno.test("listen() refuses a path that leads elsewhere than a proxy may think, and no other", async () => {
  const listener = await listen({
    ...OPTIONS,
    handle: ({ path = "" }) => Promise.resolve(answerRefusal({ status: 404, code: path, message: "" })),
  });
  const ask = async (target: string): Promise<string> =>
    read(await exchange(listener.port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
  try {
    for (
      const target of [
        "/v1/events\\..\\..\\metrics",
        "/v1/events/../../metrics",
        "/v1/events/%2e%2E/.%2e/metrics",
        "http://x/v1/events/../../metrics",
        "/metrics/.",
      ]
    ) assertEquals(await ask(target), "400 malformed", target);

    assertEquals(await ask("/v1/events?a=/../b#/../c"), "404 /v1/events");
    assertEquals(await ask("http://x:80/v1/events?a"), "404 /v1/events");
    assertEquals(await ask("HTTP://X/v1/events"), "404 /v1/events");
    assertEquals(await ask("http://x"), "404 /");
    assertEquals(await ask("//v1/%2Fevents"), "404 //v1/%2Fevents");
  } finally {
    await listener.stop();
  }
});

Deno.test("listen() refuses a declared length that is too long before anything of the body is there", () =>
  withIngest(async ({ port }) => {
    const head = `${[...HEAD, "Content-Length: 99999999999"].join("\r\n")}\r\n\r\n`;
    const answered = await exchange(port, head, { isFirstEnough: true });

    assertEquals(read(answered), "413 body_too_large");
  }));

Deno.test("listen() lets a body run out that was answered unread, and takes the next request", () =>
  withIngest(async ({ port }) => {
    const body = "x".repeat(50_000);
    const head = HEAD.map((line) => line.startsWith("x-api-key") ? "x-api-key: wrong" : line);
    const text = JSON.stringify(FULL);
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const send = (part: string) => connection.write(new TextEncoder().encode(part));
    const buffer = new Uint8Array(4_096);
    const receive = async () => new TextDecoder().decode(buffer.subarray(0, await connection.read(buffer) ?? 0));

    await send(`${[...head, `Content-Length: ${body.length}`].join("\r\n")}\r\n\r\n`);
    const refused = await receive();
    await send(body);
    await send(`${[...HEAD, `Content-Length: ${text.length}`].join("\r\n")}\r\n\r\n${text}`);
    const stored = await receive();
    connection.close();

    assertMatch(refused, /^HTTP\/1\.1 401 /);
    assertMatch(stored, /^HTTP\/1\.1 202 /);
  }));

Deno.test("listen() closes connections that send nothing, half of their headers, or no request after the first", async () => {
  const listener = await listen({ ...OPTIONS, timeouts: { headersMs: 1_500, keepAliveMs: 100, checkMs: 20 } });

  const [idle, half, kept] = await Promise.all([
    exchange(listener.port, ""),
    exchange(listener.port, "POST /v1/ev"),
    exchange(listener.port, "GET /here HTTP/1.1\r\nHost: x\r\n\r\n"),
  ]);
  await listener.stop();

  assertEquals([read(idle), read(half)], ["408 request_timeout", "408 request_timeout"]);
  assertMatch(kept.text, /^HTTP\/1\.1 200 .*\/here/s);
});

Deno.test("listen() breaks a connection off that sends request after request and waits for no answer", async () => {
  let handled = 0;
  const handle: ListenOptions["handle"] = (request) => {
    // On Deno, listen() asks itself once.
    if (request.path !== "/here") return Promise.resolve(new Response());
    handled += 1;
    return new Promise(() => {});
  };
  const listener = await listen({ ...OPTIONS, handle });

  const { text } = await exchange(listener.port, "GET /here HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100));
  await listener.stop();

  assertEquals([text, handled], ["", 16]);
});

Deno.test("listen() closes a connection that doesn't read its answer", async () => {
  const listener = await listen({
    ...OPTIONS,
    requestTimeoutMs: 100,
    timeouts: { headersMs: 100, keepAliveMs: 100, checkMs: 20 },
    // More than the system takes on its own.
    handle: () => Promise.resolve(new Response("x".repeat(20_000_000), { status: 404 })),
  });

  const receiveAfter = async (waitMs: number): Promise<number> => {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: listener.port });
    await connection.write(new TextEncoder().encode("GET /here HTTP/1.1\r\nHost: x\r\n\r\n"));
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    let received = 0;
    const buffer = new Uint8Array(65_536);
    const read = () => connection.read(buffer).catch(() => null);
    for (let count = await read(); count !== null; count = await read()) received += count;
    return received;
  };
  let received = await receiveAfter(700);
  // On a busy machine, the answer may not even have begun.
  for (let waitMs = 2_000; received >= 20_000_000 && waitMs < 10_000; waitMs *= 2) {
    received = await receiveAfter(waitMs);
  }
  await listener.stop();

  assert(received < 20_000_000, `${received} bytes`);
});

Deno.test("listen() begins an answer before its body does, and tells who makes it that nobody reads it any more", async () => {
  const cancelled = Promise.withResolvers<void>();
  const body = () => new ReadableStream({ cancel: () => cancelled.resolve() });
  const listener = await listen({ ...OPTIONS, handle: () => Promise.resolve(new Response(body())) });

  const answer = await fetch(`http://127.0.0.1:${listener.port}/feed`);
  await answer.body?.cancel();
  await cancelled.promise;
  await listener.stop();

  assertEquals(answer.status, 200);
});
