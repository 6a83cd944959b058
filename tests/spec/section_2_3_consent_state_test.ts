import { assertEquals } from "@std/assert";
import { startVisit } from "../support/visit.ts";

for (const consent of ["pending", "granted", "denied"] as const) {
  Deno.test(`SPEC 2.3 and 4.2 ConsentState: init() and setConsent() accept ${consent}, getConsent() returns it`, () => {
    const { client } = startVisit({ consent });
    const other = startVisit({ consent: consent === "denied" ? "pending" : "denied" });

    other.client.setConsent(consent);

    assertEquals([client.getConsent(), other.client.getConsent()], [consent, consent]);
  });
}

Deno.test("SPEC 2.3 ConsentState: setConsent() accepts nothing else", () => {
  const { client } = startVisit();

  for (const value of ["GRANTED", "", null, undefined, true, ["denied"]]) client.setConsent(value as "granted");

  assertEquals(client.getConsent(), "granted");
});
