import { assert, assertEquals } from "@std/assert";
import type { InitConfig } from "../../mod.ts";
import { startBareChromium } from "./bare_chromium.ts";
import { quiet } from "./harness.ts";
import { script } from "./html.ts";
import { type Reports, takeReports } from "./reports.ts";
import { type Servers, withServers } from "./servers.ts";
import { readViews } from "./views.ts";

const SPECULATION_RULES = JSON.stringify({ prerender: [{ urls: ["/next?q=1"], eagerness: "immediate" }] });

/** Reports what it looks like now. */
const REPORT = script(() =>
  Object.assign(globalThis, {
    report: () =>
      void fetch("/report", {
        method: "POST",
        body: JSON.stringify({
          isPrerendering: Reflect.get(document, "prerendering"),
          keys: Object.keys(localStorage).sort(),
        }),
      }),
  })
);

/** What a page is prerendered with. */
interface PrerenderOptions {
  readonly config: Partial<InitConfig>;
  /** What the page calls after `init()`. */
  readonly calls: string;
  /** Where the page in front goes when the test says so. */
  readonly target: string;
  /** Makes `leave()` what the page in front, which has the SDK then, does before it goes. */
  readonly leave?: string;
}

/** Opens a page that has another one prerendered, and goes to a path when the test says so. */
async function withPrerender(
  options: PrerenderOptions,
  run: (servers: Servers, reports: Reports) => Promise<void>,
): Promise<void> {
  await withServers(async (servers) => {
    const reports = takeReports(servers.site);
    servers.site.serve("/", {
      ...!options.leave && { scripts: [] },
      body: `<script type="speculationrules">${SPECULATION_RULES}</script>`,
      after: script((target) => {
        localStorage.setItem("vendor.sdk.visitor", "8e26cb5b-2c4c-4b0f-9d43-6ad6d6d0a1f0");
        fetch("/go").then(() => {
          Reflect.get(globalThis, "leave")?.();
          setTimeout(() => location.assign(target), 500); // nobody goes on within the moment of a choice
        });
      }, options.target) + (options.leave ? servers.init() + options.leave : ""),
    });
    servers.site.serve("/elsewhere", { scripts: [], before: REPORT, after: "report();" });
    servers.site.serve("/next", {
      title: "Next",
      before: REPORT,
      after: servers.init(options.config) + options.calls + script(() => {
        Reflect.get(globalThis, "report")();
        document.addEventListener("prerenderingchange", () => setTimeout(Reflect.get(globalThis, "report"), 100));
      }),
    });
    const chromium = await startBareChromium(`${servers.site.origin}/`);
    try {
      assertEquals(await reports.next(), { isPrerendering: true, keys: ["vendor.sdk.visitor"] });
      await quiet();
      await run(servers, reports);
    } finally {
      reports.go();
      await chromium.close();
    }
  });
}

const CALLS = script(() => {
  Vendor.identify("u-1");
  Vendor.step("prerendered");
  void Vendor.flush();
});

Deno.test("a prerendered page is recorded once it is shown, with the calls made meanwhile", () =>
  withPrerender(
    { config: { trackPageviews: true }, calls: CALLS, target: "/next?q=1" },
    async (servers, reports) => {
      assertEquals(servers.ingest.requests.length + servers.ingest.preflights.length, 0);
      const shownMs = Date.now();

      reports.go();

      assertEquals(await readViews(servers, 2), [
        "full prerendered site:/next?q=1 from site:/",
        "full $pageview site:/next?q=1 from site:/",
      ]);
      const [step, view] = servers.ingest.stored;
      assert(Date.parse(view?.timestamp ?? "") >= shownMs);
      assert(Date.parse(step?.timestamp ?? "") < shownMs);
      assertEquals(step?.identity, { userId: "u-1", anonymousId: "8e26cb5b-2c4c-4b0f-9d43-6ad6d6d0a1f0" });
      assertEquals(view?.context?.pageTitle, "Next");
      assertEquals(servers.site.visits.filter((path) => path === "/next").length, 1);
    },
  ));

Deno.test("a prerendered page that is never shown is never recorded", () =>
  withPrerender(
    { config: { trackPageviews: true }, calls: CALLS, target: "/elsewhere" },
    async ({ ingest }, reports) => {
      reports.go();

      assertEquals(await reports.next(), { isPrerendering: false, keys: ["vendor.sdk.visitor"] });
      await quiet();
      assertEquals(ingest.requests.length + ingest.preflights.length, 0);
    },
  ));

Deno.test("a prerendered page with pending consent is an aggregate once it is shown", () =>
  withPrerender(
    { config: { trackPageviews: "auto", consent: "pending" }, calls: CALLS, target: "/next?q=1" },
    async (servers, reports) => {
      assertEquals(servers.ingest.requests.length + servers.ingest.preflights.length, 0);

      reports.go();
      await quiet();

      assertEquals(await readViews(servers, 1), ["aggregate $pageview site:/next from site:"]);
    },
  ));

Deno.test("consent that is denied while a page is prerendered discards its calls and applies once it is shown", () =>
  withPrerender(
    {
      config: { trackPageviews: "auto" },
      calls: CALLS + script(() => Vendor.setConsent("denied")),
      target: "/next?q=1",
    },
    async ({ ingest }, reports) => {
      reports.go();

      assertEquals(await reports.next(), { isPrerendering: false, keys: [] });
      await quiet();
      assertEquals(ingest.requests.length + ingest.preflights.length, 0);
    },
  ));

const DENY = script(() => Object.assign(globalThis, { leave: () => Vendor.setConsent("denied") }));
const SIGN_OUT = script(() => Object.assign(globalThis, { leave: () => Vendor.reset() }));

Deno.test("consent that is denied on the page in front holds for the prerendered one", () =>
  withPrerender(
    { config: { trackPageviews: true }, calls: CALLS, target: "/next?q=1", leave: DENY },
    async ({ ingest }, reports) => {
      reports.go();

      assertEquals(await reports.next(), { isPrerendering: false, keys: [] });
      await quiet();
      assertEquals(ingest.requests.length + ingest.preflights.length, 0);
    },
  ));

Deno.test("who signs out on the page in front is nobody's user on the prerendered one", () =>
  withPrerender(
    { config: { trackPageviews: true }, calls: CALLS, target: "/next?q=1", leave: SIGN_OUT },
    async (servers, reports) => {
      reports.go();

      const events = await servers.ingest.untilStored(2);
      assertEquals(events.map(({ name, identity }) => [name, identity?.userId, identity?.traits]), [
        ["prerendered", null, undefined],
        ["$pageview", null, undefined],
      ]);
      assertEquals(events.filter(({ identity }) => identity?.anonymousId?.startsWith("8e26cb5b")), []);
    },
  ));

Deno.test("consent that is denied as the page is shown, by what reads the saved choice, comes before it acts", () =>
  withPrerender(
    {
      config: { trackPageviews: true },
      calls: CALLS + script(() => document.addEventListener("prerenderingchange", () => Vendor.setConsent("denied"))),
      target: "/next?q=1",
    },
    async ({ ingest }, reports) => {
      reports.go();

      assertEquals(await reports.next(), { isPrerendering: false, keys: [] });
      await quiet();
      assertEquals(ingest.requests.length + ingest.preflights.length, 0);
    },
  ));
