import { assertEquals } from "@std/assert";
import { createStrangerFilter } from "../../../src/ingest/server/sender.ts";

Deno.test("createStrangerFilter() leaves out this machine and private networks, in both versions of IP", () => {
  const find = createStrangerFilter();

  assertEquals(
    ["127.0.0.1", "127.9.9.9", "10.0.0.1", "172.31.255.1", "192.168.1.1"].map(find),
    Array(5).fill(undefined),
  );
  assertEquals(["::1", "fd00::1", "fe80::1%eth0", "::ffff:127.0.0.1", undefined].map(find), Array(5).fill(undefined));
  assertEquals(["203.0.113.9", "::ffff:203.0.113.9", "172.32.0.1", "2001:db8::1"].map(find), [
    "203.0.113.9",
    "203.0.113.9",
    "172.32.0.1",
    "2001:db8::1",
  ]);
});
