import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { ReportsOptions } from "../../../src/ingest/mod.ts";
import { buildPageview, SITE } from "./fixtures.ts";
import { ask, createTestReports, readProblem, SECRET, TEST_KEY } from "./reports_fixtures.ts";
import { watchRejections } from "../watch_rejections.ts";

const EVENTS = [buildPageview({ timestamp: "2026-03-30T10:00:00.000Z", pageUrl: `${SITE}/` })];

const RANGE = "from=2026-03-30&to=2026-03-31";

Deno.test("createReports() says what is wrong with a range", async () => {
  const reports = await createTestReports(EVENTS);
  const message = async (search: string): Promise<unknown> => {
    const { status, body } = await readProblem(await ask(reports, `?format=json&${search}`));
    return [status, body.error.code, body.error.message];
  };
  const to = "to must be a day that exists, written as 2026-01-31";
  const from = "from must be a day that exists, written as 2026-01-31";

  assertEquals(await message("from=2026-02-30&to=2026-03-01"), [400, "bad_range", from]);
  assertEquals(await message("from=yesterday"), [400, "bad_range", from]);
  assertEquals(await message("to=2026-03-32"), [400, "bad_range", to]);
  assertEquals(await message("to=%00"), [400, "bad_range", to]);
  assertEquals(await message("from=2026-03-02&to=2026-03-01"), [400, "bad_range", "from must not be after to"]);
  assertEquals(await message("from=2026-04-01"), [400, "bad_range", "from must not be after today (UTC)"]);
  assertEquals(await message("from=2016-03-30&to=2026-04-01"), [
    400,
    "bad_range",
    "a report spans at most 3654 days, not 3655",
  ]);
  // Ten years, over three leap days.
  assertEquals((await ask(reports, "?format=json&from=2015-03-01&to=2025-03-01")).status, 200);
  assertEquals((await ask(reports, "?format=json&to=0000-01-01")).status, 200);
  assertEquals((await ask(reports, "?from=9999-12-01&to=9999-12-31")).status, 200);
});

Deno.test("createReports() says which formats there are, and refuses each view for the same", async () => {
  const reports = await createTestReports(EVENTS);
  const readError = async (search: string): Promise<unknown> => {
    const { status, body } = await readProblem(await ask(reports, search));
    return [status, body.error.code];
  };

  const format = await readProblem(await ask(reports, "?format=xml"));

  assertEquals([format.status, format.body.error.message], [400, "format must be one of html, json, csv"]);
  assertEquals(await readError("?format=json&view=users"), [400, "bad_view"]);
  assertEquals(await readError("?format=csv&view=pages&zone=Mars"), [400, "bad_zone"]);
  assertEquals(await readError("?format=json&view=steps&filter=plan:pro"), [400, "bad_filter"]);
});

Deno.test("createReports() answers nothing without the secret, and asks a browser for it", async () => {
  const reports = await createTestReports(EVENTS);
  const headers = { Authorization: "Bearer pk_test_1" };

  const page = await ask(reports, `?${RANGE}`, { headers });
  const file = await ask(reports, `?format=json&${RANGE}&site=https://unregistered.example`, { headers: {} });

  assertEquals(page.status, 401);
  assertEquals(page.headers.get("WWW-Authenticate"), 'Basic realm="Reports", charset="UTF-8"');
  assertEquals((await page.text()).includes("shop.example"), false);
  assertEquals((await readProblem(file)).body, {
    error: {
      code: "unauthorized",
      message: "send the secret key as the password of Basic credentials, with any user name, or as a Bearer token",
    },
  });
});

Deno.test("createReports() refuses what single people did to a secret that doesn't open it", async () => {
  const reportSecrets = { agency: { secret: "sk_agency_0123456789" } };
  const reports = await createTestReports([], { keys: [{ ...TEST_KEY, reportSecrets }] });
  const asAgency = { headers: { Authorization: "Bearer sk_agency_0123456789" } };
  const message = "this secret doesn't open what single people did";

  for (const method of ["GET", "HEAD"]) {
    assertEquals((await ask(reports, "?view=person", { ...asAgency, method })).status, 403);
  }
  assertEquals(await readProblem(await ask(reports, "?view=person&format=json", asAgency)), {
    status: 403,
    body: { error: { code: "people_refused", message } },
  });
  const body = new URLSearchParams({ anonymousId: "ada" });
  assertEquals((await ask(reports, "?view=person&format=json", { ...asAgency, method: "POST", body })).status, 403);
  assertEquals((await ask(reports, "?view=person&format=json", { method: "POST", body })).status, 200);
  const [ofAgency, ofOwner] = [await ask(reports, "?view=pages", asAgency), await ask(reports, "?view=pages")];
  assertEquals([ofAgency.status, (await ofAgency.text()).includes("One person")], [200, false]);
  assertEquals((await ofOwner.text()).includes("One person"), true);
});

Deno.test("createReports() takes no secret from a URL", async () => {
  const reports = await createTestReports(EVENTS);

  const answer = await ask(reports, `?secret=${SECRET}&key=${SECRET}&access_token=${SECRET}`, { headers: {} });

  assertEquals(answer.status, 401);
  await answer.body?.cancel();
});

Deno.test("createReports() refuses a path that no request could have", async () => {
  const message = 'path must be one such as "/reports", as a URL has it';

  await assertRejects(() => createTestReports([], { path: "reports" }), TypeError, message);
  await assertRejects(() => createTestReports([], { path: "/berichte/für" }), TypeError, message);
});

Deno.test("createReports() can only be read", async () => {
  const reports = await createTestReports(EVENTS);
  const headers = { Authorization: `Bearer ${SECRET}` };

  const post = await ask(reports, "?format=json", { method: "POST", headers, body: "{}" });
  const options = await ask(reports, "?format=json", { method: "OPTIONS", headers });
  const head = await ask(reports, `?format=csv&${RANGE}`, { method: "HEAD", headers });

  assertEquals([post.status, post.headers.get("Allow")], [405, "GET, HEAD, POST"]);
  assertEquals((await readProblem(options)).body.error.code, "method_not_allowed");
  assertEquals([head.status, head.body, head.headers.get("Content-Type")], [
    200,
    null,
    "text/csv; charset=utf-8; header=present",
  ]);
  await post.body?.cancel();
});

Deno.test("createReports() lets no other origin read, frame or keep an answer", async () => {
  const reports = await createTestReports(EVENTS);

  const answers = await Promise.all([
    ask(reports, ""),
    ask(reports, "?format=json"),
    ask(reports, "?format=csv"),
    ask(reports, "?from=x"),
    ask(reports, "", { headers: { Origin: "https://evil.example" } }),
  ]);
  for (const answer of answers) await answer.body?.cancel();

  for (const { headers } of answers) {
    assertEquals(headers.get("Access-Control-Allow-Origin"), null);
    assertEquals(headers.get("Cache-Control"), "no-store");
    assertEquals(headers.get("Cross-Origin-Resource-Policy"), "same-origin");
    assertEquals(headers.get("Referrer-Policy"), "no-referrer");
    assertEquals(headers.get("X-Content-Type-Options"), "nosniff");
    assertMatch(headers.get("Content-Security-Policy") ?? "", /^default-src 'none'; .*frame-ancestors 'none'$/);
  }
});

Deno.test("createReports() answers 503 when the store can't be read, and tells its owner why", async () => {
  const broken = new Error("disk on fire");
  const errors: unknown[] = [];
  const reports = await createTestReports([], {
    reader: createBrokenReader(() => Promise.reject(broken)),
    onError: (error) => {
      errors.push(error);
      throw error;
    },
  });

  const file = await readProblem(await ask(reports, "?format=json"));
  const page = await ask(reports, "");

  assertEquals([file.status, file.body.error.code, page.status], [503, "unavailable", 503]);
  assertEquals(page.headers.get("Retry-After"), "5");
  assertEquals((await page.text()).includes("fire"), false);
  assertEquals(errors, [broken, broken]);
});

Deno.test("createReports() outlives a listener whose promise rejects", async () => {
  const rejections = watchRejections();
  const fail = () => Promise.reject(new Error("disk on fire"));
  const reports = await createTestReports([], {
    reader: createBrokenReader(fail),
    onError: fail,
  });

  const answer = await ask(reports, "?format=json");

  assertEquals([answer.status, await rejections.stop()], [503, []]);
});

function createBrokenReader(fail: () => Promise<never>): ReportsOptions["reader"] {
  return {
    sites: fail,
    violations: fail,
    countPageviews: fail,
    audience: fail,
    lastTime: fail,
    overview: fail,
    countFlagged: fail,
    pages: fail,
    sources: fail,
    steps: fail,
    stepValues: fail,
    countEvents: fail,
    funnel: fail,
    retention: fail,
    acceptance: fail,
    person: fail,
    close: fail,
  };
}
