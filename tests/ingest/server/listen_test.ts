import { assertEquals, assertRejects } from "@std/assert";
import { listen, type ListenOptions } from "../../../src/ingest/server/listen.ts";
import { listenOnNode } from "../../../src/ingest/server/listen_on_node.ts";
import { ServerFault } from "../../../src/ingest/server/server_fault.ts";

const OPTIONS: ListenOptions = {
  host: "127.0.0.1",
  port: 0,
  isPortShared: false,
  handle: async (request) => new Response(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`),
};

for (const [name, start] of [["listen()", listen], ["listenOnNode()", listenOnNode]] as const) {
  Deno.test(`${name} answers until it is stopped`, async () => {
    const listener = await start(OPTIONS);

    const url = `http://127.0.0.1:${listener.port}/a`;
    const answer = await fetch(url, { method: "POST", body: "b", headers: { Connection: "close" } });
    assertEquals(await answer.text(), "POST /a b");
    await listener.stop();

    await assertRejects(() => fetch(url));
  });

  Deno.test(`${name} tells the address of the sender`, async () => {
    const listener = await start({ ...OPTIONS, handle: (_, { address }) => Promise.resolve(new Response(address)) });

    const answer = await fetch(`http://127.0.0.1:${listener.port}/`, { headers: { Connection: "close" } });
    assertEquals(await answer.text(), "127.0.0.1");
    await listener.stop();
  });

  Deno.test(`${name} says that its port is in use`, async () => {
    using other = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = other.addr;

    await assertRejects(
      async () => await start({ ...OPTIONS, port }),
      ServerFault,
      `can't listen on 127.0.0.1 port ${port}: the port is in use`,
    );
  });
}
