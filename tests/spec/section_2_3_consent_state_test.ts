import { assertEquals } from "@std/assert";
import { startVisit } from "../support/visit.ts";

Deno.test("SPEC 2.3 ConsentState: init() accepts pending", () => {
  const { client } = startVisit({ consent: "pending" });

  assertEquals(client.getConsent(), "pending");
  client.close();
});

Deno.test("SPEC 2.3 ConsentState: init() accepts granted", () => {
  const { client } = startVisit({ consent: "granted" });

  assertEquals(client.getConsent(), "granted");
  client.close();
});

Deno.test("SPEC 2.3 ConsentState: init() accepts denied", () => {
  const { client } = startVisit({ consent: "denied" });

  assertEquals(client.getConsent(), "denied");
  client.close();
});

Deno.test("SPEC 2.3 ConsentState: setConsent() accepts each, getConsent() returns it", () => {
  const { client } = startVisit();
  const seen = [];

  client.setConsent("pending");
  seen.push(client.getConsent());
  client.setConsent("denied");
  seen.push(client.getConsent());
  client.setConsent("granted");
  seen.push(client.getConsent());

  assertEquals(seen, ["pending", "denied", "granted"]);
  client.close();
});

Deno.test("SPEC 2.3 ConsentState: setConsent() accepts nothing else", () => {
  const { client } = startVisit();

  client.setConsent("GRANTED" as "granted");
  client.setConsent(null as unknown as "granted");

  assertEquals(client.getConsent(), "granted");
  client.close();
});
