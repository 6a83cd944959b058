import { assertEquals, assertRejects } from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import { createReconnectingLink, type Link, openLink } from "../../../../src/ingest/stores/jetstream/jetstream_link.ts";
import type { NatsModules } from "../../../../src/ingest/stores/jetstream/jetstream_modules.ts";

const A = "127.0.0.1:4222";
const B = "127.0.0.1:4223";

/** A client whose servers read nothing; notes which of them it was to connect to. */
function createNats(urls: readonly string[] = [A, B]): { nats: NatsModules; dialled: (readonly string[])[] } {
  const dialled: (readonly string[])[] = [];
  const nothing = () => new Promise<never>(() => {});
  const nats: NatsModules = {
    connect: ({ servers }) => {
      dialled.push(servers);
      let isClosed = false;
      return Promise.resolve({
        info: { max_payload: 1_000, connect_urls: [...urls] },
        getServer: () => servers[0] ?? "",
        isClosed: () => isClosed,
        flush: nothing,
        // As the client does on a socket in which bytes are stuck: closed at once, and never done.
        close: () => (isClosed = true, nothing()),
      });
    },
    credsAuthenticator: () => () => {},
    jetstreamManager: () => Promise.resolve({ streams: { info: nothing, add: nothing } }),
    jetstream: () => ({ publish: nothing }),
  };
  return { nats, dialled };
}

const hang = () => new Promise<never>(() => {});

const refuse = (code: number) => Promise.reject(Object.assign(new Error("refused"), { code }));

const realSetTimeout = setTimeout;

/** Waits for what is under way without the clock. */
const settle = () => new Promise((resolve) => realSetTimeout(resolve, 0));

Deno.test("otherServers() names the other servers, and all of them where there is no other", async () => {
  const link = await openLink(createNats().nats, { servers: [A, `nats://${A}`, B] });
  const alone = await openLink(createNats([A]).nats, { servers: [A] });

  assertEquals([link.otherServers(), alone.otherServers()], [[B], [A]]);
});

Deno.test("drained() ends with its connection", async () => {
  const link = await openLink(createNats().nats, { servers: [A] });
  const draining = link.drained();

  void link.close();

  assertEquals([await draining, link.isClosed()], [undefined, true]);
});

Deno.test("createReconnectingLink() replaces a connection without answers by one to another server, and drops the old one", async () => {
  using time = new FakeTime();
  using _clock = stub(performance, "now", () => time.now);
  const { nats, dialled } = createNats();
  const open = (servers?: readonly string[]): Promise<Link> => openLink(nats, { servers: [A] }, servers);
  const first = await open();
  const reconnecting = createReconnectingLink(first, open);

  void reconnecting.ask(hang);
  await time.tickAsync(9_000);
  await settle();
  const before = reconnecting.current();
  await time.tickAsync(2_000);
  await settle();
  await time.tickAsync(60_000);
  await settle();
  void reconnecting.close();

  assertEquals(dialled, [[A], [B]]);
  assertEquals([before === first, reconnecting.current() === first, first.isClosed()], [true, false, true]);
});

Deno.test("createReconnectingLink() replaces a connection without answers though the wall clock is set back", async () => {
  using time = new FakeTime();
  using _clock = stub(performance, "now", () => time.now);
  const { nats, dialled } = createNats();
  const open = (servers?: readonly string[]): Promise<Link> => openLink(nats, { servers: [A] }, servers);
  const reconnecting = createReconnectingLink(await open(), open);

  void reconnecting.ask(hang);
  using _setBack = stub(Date, "now", () => 0);
  await time.tickAsync(11_000);
  await settle();
  void reconnecting.close();

  assertEquals(dialled, [[A], [B]]);
});

Deno.test("createReconnectingLink() keeps a connection that is idle, answers or refuses", async () => {
  using time = new FakeTime();
  using _clock = stub(performance, "now", () => time.now);
  const { nats, dialled } = createNats();
  const open = (servers?: readonly string[]): Promise<Link> => openLink(nats, { servers: [A] }, servers);
  const reconnecting = createReconnectingLink(await open(), open);

  await time.tickAsync(60_000);
  for (const answer of [() => Promise.resolve(), () => refuse(10_077)]) {
    void reconnecting.ask(hang);
    await time.tickAsync(8_000);
    await reconnecting.ask(answer).catch(() => {});
  }
  await time.tickAsync(60_000);
  void reconnecting.close();

  assertEquals(dialled, [[A]]);
});

Deno.test("createReconnectingLink() tries again every 10 seconds while no server can be reached", async () => {
  using time = new FakeTime();
  using _clock = stub(performance, "now", () => time.now);
  let attempts = 0;
  const first = await openLink(createNats().nats, { servers: [A] });
  const reconnecting = createReconnectingLink(first, () => (attempts += 1, Promise.reject(new Error("refused"))));

  await assertRejects(() => reconnecting.ask(() => refuse(10_008)));
  for (let second = 0; second < 31; second++) {
    await time.tickAsync(1_000);
    await settle();
  }
  void reconnecting.close();

  assertEquals([attempts, reconnecting.current()], [3, first]);
});
