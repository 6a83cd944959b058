import { assertEquals } from "@std/assert";
import { withSite } from "./site_tab.ts";

const TITLE = "#collected-title";
const COUNTED = "Pages are counted, people aren’t";

Deno.test("the panel describes the mode in force in its tab, not the one that another tab saved", () =>
  withSite(({ scope, click, read }) => {
    scope.localStorage.setItem("tidewater.mode", "false");

    click('.states [data-state="pending"]');

    assertEquals(read(TITLE), COUNTED);
  }));

Deno.test("the panel describes the mode in force where storage is blocked", () =>
  withSite(({ click, read }) => {
    const start = read(TITLE);

    click('[name="mode"][value="true"]');

    assertEquals([start, read(TITLE)], [COUNTED, "Nothing is collected yet"]);
  }, (scope) => {
    Object.defineProperty(scope, "localStorage", {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    });
  }));
