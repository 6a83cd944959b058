import { assertEquals } from "@std/assert";
import { findInside } from "../../../src/client/inside.ts";
import { namesOf, startVisit, warningsOf } from "../../support/visit.ts";

for (const broken of ["first", "second"]) {
  Deno.test(`a hook that returns what is no JSON costs its event alone: the ${broken}`, async () => {
    const { browser, page, client } = startVisit();
    findInside(client)?.hooks?.beforeSend.push((event) =>
      event.draft.name === broken ? { ...event, text: "{" } : event
    );

    for (const name of ["first", "second", "third"]) client.step(name);
    await browser.advance(1000);
    client.step("fourth");
    await browser.advance(5000);

    assertEquals(namesOf(page.events), ["first", "second", "third", "fourth"].filter((name) => name !== broken));
    assertEquals([warningsOf(page).length, client.drops()], [1, { redacted: 1 }]);
    client.close();
  });
}
