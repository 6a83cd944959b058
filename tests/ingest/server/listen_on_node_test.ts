import { assertEquals, assertRejects } from "@std/assert";
import { listenOnNode } from "../../../src/ingest/server/listen_on_node.ts";
import { ServerFault } from "../../../src/ingest/server/server_fault.ts";

const OPTIONS = {
  host: "127.0.0.1",
  port: 0,
  isPortShared: false,
  handle: (request: Request) => Promise.resolve(new Response(new URL(request.url).pathname)),
};

Deno.test("listenOnNode() answers until it is stopped", async () => {
  const listener = await listenOnNode(OPTIONS);

  const answer = await fetch(`http://127.0.0.1:${listener.port}/here`);
  const text = await answer.text();
  await listener.stop();

  assertEquals([answer.status, text], [200, "/here"]);
  await assertRejects(() => fetch(`http://127.0.0.1:${listener.port}/`), TypeError);
});

Deno.test("listenOnNode() says that a port is in use", async () => {
  const listener = await listenOnNode(OPTIONS);

  await assertRejects(() => listenOnNode({ ...OPTIONS, port: listener.port }), ServerFault, String(listener.port));

  await listener.stop();
});
