import { assertEquals, assertThrows } from "@std/assert";
import { createAddressFinder, createCountryFinder } from "../../../../src/ingest/server/http/sender.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";

function forwarded(list?: string): Headers {
  return new Headers(list === undefined ? {} : { "X-Forwarded-For": list });
}

Deno.test("createAddressFinder() leaves out this machine and private networks, in both versions of IP", () => {
  const find = createAddressFinder([]);
  const findAll = (peers: (string | undefined)[]) => peers.map((peer) => find(peer, forwarded("198.51.100.1")));

  assertEquals(
    findAll(["127.0.0.1", "127.9.9.9", "10.0.0.1", "172.31.255.1", "192.168.1.1", "169.254.1.1"]),
    Array(6).fill(undefined),
  );
  assertEquals(findAll(["::1", "fd00::1", "fe80::1%eth0", "::ffff:127.0.0.1", undefined]), Array(5).fill(undefined));
  assertEquals(findAll(["203.0.113.9", "::ffff:203.0.113.9", "172.32.0.1", "2001:db8::1"]), [
    "203.0.113.9",
    "203.0.113.9",
    "172.32.0.1",
    "2001:db8::1",
  ]);
});

Deno.test("createAddressFinder() takes what a trusted proxy forwards, and nothing that its sender wrote", () => {
  const find = createAddressFinder(["10.0.0.0/8", "::1"]);

  for (
    const [peer, header, address] of [
      ["10.1.1.1", "203.0.113.9", "203.0.113.9"],
      ["::ffff:10.1.1.1", "192.0.2.1, 203.0.113.9", "203.0.113.9"],
      ["::1", "192.0.2.1, 203.0.113.9, 10.2.2.2", "203.0.113.9"],
      ["::1", "192.168.1.5", "192.168.1.5"],
      ["::1", "203.0.113.9, nonsense", undefined],
      ["::1", "10.2.2.2", undefined],
      ["::1", undefined, undefined],
      ["127.0.0.1", "203.0.113.9", "127.0.0.1"],
      ["198.51.100.1", "203.0.113.9", "198.51.100.1"],
    ] as const
  ) assertEquals(find(peer, forwarded(header)), address, `${peer} ${header}`);
});

Deno.test("createAddressFinder() reads addresses as proxies write them: with a port, in brackets, mapped", () => {
  const find = createAddressFinder(["10.0.0.0/8"]);

  for (
    const [header, address] of [
      ["203.0.113.7:4711", "203.0.113.7"],
      ["203.0.113.7:4711, 10.2.2.2:80", "203.0.113.7"],
      ["[2001:db8::1]:443", "2001:db8::1"],
      ["[2001:db8::1]", "2001:db8::1"],
      ["2001:0DB8:0:0:0:0:0:1", "2001:db8::1"],
      ["fe80::1%eth0", "fe80::1"],
      ["::ffff:203.0.113.7", "203.0.113.7"],
      ["::FFFF:cb00:7107", "203.0.113.7"],
      ["0:0:0:0:0:ffff:203.0.113.7", "203.0.113.7"],
      ["[::ffff:203.0.113.7]:4711, [::ffff:10.2.2.2]:80", "203.0.113.7"],
      ["[203.0.113.7", undefined],
      ["2001:db8::1:443:443:443:443:443:443", undefined],
    ] as const
  ) assertEquals(find("10.1.1.1", forwarded(header)), address, header);
});

Deno.test("createAddressFinder() reads Forwarded where there is no X-Forwarded-For", () => {
  const find = createAddressFinder(["10.0.0.0/8"]);

  for (
    const [header, address] of [
      ["for=203.0.113.7", "203.0.113.7"],
      ["For=203.0.113.7;proto=https;by=10.0.0.1", "203.0.113.7"],
      ['proto=https; for="203.0.113.7:4711"', "203.0.113.7"],
      ['for="[2001:db8::1]:443"', "2001:db8::1"],
      ['for="[2001:DB8::1]"', "2001:db8::1"],
      ["for=192.0.2.1, for=203.0.113.7, for=10.2.2.2", "203.0.113.7"],
      ['for=203.0.113.7;ext="a,for=192.0.2.1"', "203.0.113.7"],
      ["for=203.0.113.7, for=_hidden", undefined],
      ["for=203.0.113.7, for=unknown", undefined],
      ["for=203.0.113.7, proto=https", undefined],
      ["", undefined],
    ] as const
  ) assertEquals(find("10.1.1.1", new Headers({ Forwarded: header })), address, header);
  const both = new Headers({ "X-Forwarded-For": "203.0.113.7", Forwarded: "for=192.0.2.1" });
  assertEquals(find("10.1.1.1", both), "203.0.113.7");
});

Deno.test("createAddressFinder() tells of the first hop that it can't read, without an address", () => {
  const told: string[] = [];
  const find = createAddressFinder(["10.0.0.0/8"], (hop) => told.push(hop));

  for (const header of ["203.0.113.7", "203.0.113.7;4711", "nonsense", "x".repeat(1000)]) {
    find("10.1.1.1", forwarded(header));
    find("198.51.100.1", forwarded(header));
  }

  assertEquals(told, ["###.#.###.#;####"]);
});

Deno.test("createAddressFinder() refuses a proxy that is no address", () => {
  for (const proxy of ["", "nginx", "10.0.0.0/33", "10.0.0.0/x", "10.0.0.0/", "::1/129", "10.0.0"]) {
    assertThrows(() => createAddressFinder([proxy]), ServerFault, "trust-proxy must be addresses or networks");
  }
});

Deno.test("createCountryFinder() takes the country of a trusted proxy alone, in the header that is named", () => {
  const headers = new Headers({ "CF-IPCountry": "DE", "X-Country": "FR" });
  const find = createCountryFinder(["10.0.0.0/8"], "CF-IPCountry");

  assertEquals(["10.1.1.1", "::ffff:10.1.1.1", "198.51.100.1", undefined].map((peer) => find(peer, headers)), [
    ...["DE", "DE", undefined, undefined],
  ]);
  assertEquals(find("10.1.1.1", new Headers()), undefined);
  assertEquals(createCountryFinder([], "CF-IPCountry")("10.1.1.1", headers), undefined);
  assertEquals(createCountryFinder(["10.0.0.0/8"], undefined)("10.1.1.1", headers), undefined);
});
