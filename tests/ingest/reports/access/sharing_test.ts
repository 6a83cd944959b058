import { SHARED_VIEWS } from "../../../../src/ingest/reports/views/registry.ts";
import { assertEquals, assertRejects } from "@std/assert";
import { createHash } from "node:crypto";
import { runKeysCommand } from "../../../../src/ingest/server/cli/keys_command.ts";
import { readKeysFile } from "../../../../src/ingest/server/cli/keys_file.ts";
import type { Reports, StoredEvent } from "../../../../src/ingest/mod.ts";
import { EVENTS } from "../answer_fixtures.ts";
import { buildEvent, buildPageview, SITE } from "../fixtures.ts";
import { textsOf, withPage } from "../page_fixtures.ts";
import { createTestReports, REPORTS_URL, SECRET, TEST_KEY } from "../reports_fixtures.ts";

const TOKEN = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";

const HASH = createHash("sha256").update(TOKEN).digest("hex");

const KEY = { ...TEST_KEY, sharedLinks: { board: { hash: HASH, site: SITE, views: ["overview", "pages"] } } };

const GOALS = { Rare: { step: "order/rare", value: 3 } };

/** What is a number of events, visitors or sessions wherever it stands. */
const COUNTS: readonly string[] = [
  ...["full", "aggregate", "visitors", "visitorsNow", "users", "sessions", "landings", "instantSessions", "entries"],
  ...["exits", "exitsWithout", "conversions", "newlyConsented", "arrivalsBeforeChoice", "completions"],
  ...["size", "returned", "used"],
];

/** What a test looks at of a page. */
interface PageSeen {
  readonly path: string;
  readonly visitors: number | string;
  readonly views: Readonly<Record<"full" | "aggregate", number | string>>;
  readonly bounceRate: number | null;
  readonly conversion: { readonly conversions: number | string; readonly value: number | null };
}

/** Asks as somebody who has the link, and no secret. */
async function open(reports: Reports, search: string, init: RequestInit = {}): Promise<Response> {
  return await reports(new Request(`${REPORTS_URL}?share=${TOKEN}${search}`, init)) ?? Response.error();
}

Deno.test("a link to share opens its views of its site, as a page whose links say it as well", async () => {
  const reports = await createTestReports(EVENTS, { keys: [KEY] });
  const page = await open(reports, "&from=2026-03-30");

  assertEquals([page.status, page.headers.get("X-Robots-Tag")], [200, "noindex"]);
  await withPage(page, (document) => {
    const links = [...document.querySelectorAll("a[href^='?']")].map((link) => link.getAttribute("href") ?? "");
    assertEquals(links.filter((link) => !link.includes(`share=${TOKEN}`)), []);
    assertEquals(textsOf(document, "nav[aria-label=Sections] a"), ["Overview", "Pages"]);
    assertEquals(document.querySelector<HTMLInputElement>("form [name=share]")?.value, TOKEN);
    assertEquals(document.querySelector("form [name=site]")?.getAttribute("type"), "hidden");
    assertEquals(document.body.textContent.includes("blog.example"), false);
    assertEquals(textsOf(document, ".columns h2"), ["Pages"]);
  });
  const overview = await (await open(reports, "&format=json&from=2026-03-30")).json();
  assertEquals(Object.keys(overview.lists), ["pages"]);
  const [pages, other] = await Promise.all([
    open(reports, "&view=pages&format=json&from=2026-03-30"),
    open(reports, "&view=pages&format=json&from=2026-03-30&site=https://blog.example"),
  ]);
  assertEquals(await pages.text(), await other.text());
});

Deno.test("a link to share opens nothing else, and nothing once it is ended", async () => {
  const reports = await createTestReports(EVENTS, { keys: [KEY] });
  const ended = await createTestReports(EVENTS);
  const codeOf = async (answer: Response): Promise<unknown> => [answer.status, (await answer.json()).error.code];
  const body = new URLSearchParams({ anonymousId: "ada" });

  for (const view of ["sources", "person", "sites", "live"]) {
    assertEquals([view, await codeOf(await open(reports, `&format=json&view=${view}`))], [view, [403, "link_refused"]]);
  }
  const person = await open(reports, "&format=json&view=person", { method: "POST", body });
  assertEquals(await codeOf(person), [403, "link_refused"]);
  assertEquals(await codeOf(await open(ended, "&format=json")), [403, "link_refused"]);
  const headers = { Authorization: `Bearer ${SECRET}` };
  assertEquals(await codeOf(await open(ended, "&format=json", { headers })), [403, "link_refused"]);
  for (const Authorization of ["", `Bearer ${TOKEN}`]) {
    const asked = new Request(`${new URL("/mcp", REPORTS_URL)}?share=${TOKEN}`, {
      method: "POST",
      headers: { Authorization, "Content-Type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    assertEquals(await codeOf(await reports(asked) ?? Response.error()), [401, "unauthorized"]);
  }
});

Deno.test("a link to share without the view of goals opens none of them beside its other views", async () => {
  const goals = { "Big order": { step: "order", value: 3 } };
  const views = ["pages", "sources", "steps", "funnel"];
  const board = { hash: HASH, site: SITE, views };
  const reports = await createTestReports(EVENTS, { keys: [{ ...KEY, goals, sharedLinks: { board } }] });
  const withGoals = await createTestReports(EVENTS, {
    keys: [{ ...KEY, goals, sharedLinks: { board: { ...board, views: ["pages", "goals"] } } }],
  });

  for (
    const asked of [
      "view=pages&goal=Big+order",
      "view=sources&goal=Big+order",
      "view=steps&goal=nothing",
      "view=pages&filter=goal:Big+order",
      "view=funnel&stage=page:/&stage=goal:Big+order",
    ]
  ) {
    for (const format of ["json", "csv", "html"]) {
      const answer = await open(reports, `&${asked}&format=${format}&from=2026-03-30`);
      assertEquals([asked, answer.status, (await answer.text()).includes("Big order")], [asked, 403, false]);
    }
  }
  for (const view of views) {
    const page = await open(reports, `&view=${view}&from=2026-03-30`);
    assertEquals([view, page.status, (await page.text()).includes("Big order")], [view, 200, false]);
  }
  const page = await open(withGoals, "&view=pages&goal=Big+order&from=2026-03-30");
  assertEquals([page.status, (await page.text()).includes("Big order")], [200, true]);
});

/** A visit of each visitor to a page, and an order there. */
const visit = (path: string, visitors: number): readonly StoredEvent[] =>
  Array.from({ length: visitors }, (_, index) => {
    const parts = {
      timestamp: `2026-03-31T0${index % 10}:00:00.000Z`,
      pageUrl: `${SITE}${path}`,
      sessionId: `${path}-${index}`,
      anonymousId: `${path}-${index}`,
    };
    return [buildPageview(parts), buildEvent({ ...parts, name: `order${path}` })];
  }).flat();

Deno.test("a link to share rounds figures, and tells no small ones", async () => {
  const reports = await createTestReports([...visit("/often", 13), ...visit("/rare", 3)], {
    keys: [{ ...KEY, goals: GOALS, sharedLinks: { board: { hash: HASH, site: SITE, views: SHARED_VIEWS } } }],
  });

  const pages = await (await open(reports, "&view=pages&goal=Rare&format=json&from=2026-03-31")).json();
  assertEquals(
    pages.rows.map(({ path, visitors, views, bounceRate, conversion }: PageSeen) => [
      ...[path, visitors, views.full, views.aggregate, bounceRate, conversion.conversions, conversion.value],
    ]),
    [["/often", 15, 15, 0, 0, 0, 0], ["/rare", "fewer than 5", "fewer than 5", 0, null, "fewer than 5", null]],
  );
  const csv = await (await open(reports, "&view=pages&format=csv&from=2026-03-31")).text();
  assertEquals(csv.split("\r\n")[2]?.split(",").slice(0, 5), ['"/rare"', '"fewer than 5"', "0", "", '"fewer than 5"']);
  await withPage(await open(reports, "&view=pages&from=2026-03-31"), (document) => {
    assertEquals(textsOf(document, "tbody tr:nth-child(2) td").slice(0, 2), ["fewer than 5", "fewer than 5"]);
    assertEquals(document.querySelector("footer")?.textContent.includes("rounded to multiples of 5"), true);
  });
});

Deno.test("a link to share tells no value of what few visitors did often", async () => {
  const orders = Array.from({ length: 6 }, (_, minute) => ({
    ...buildEvent({
      timestamp: `2026-03-31T10:0${minute}:00.000Z`,
      ...{ pageUrl: `${SITE}/`, name: "order", sessionId: "s-1", anonymousId: "ada" },
    }),
    properties: { plan: "pro", total: 120 },
  }));
  const reports = await createTestReports([
    ...[buildPageview({ timestamp: "2026-03-31T09:59:00.000Z", pageUrl: `${SITE}/`, sessionId: "s-1" }), ...orders],
  ], {
    keys: [{
      ...{ ...KEY, goals: { Order: { step: "order", value: "total" } } },
      sharedLinks: { board: { hash: HASH, site: SITE, views: SHARED_VIEWS } },
    }],
  });
  const read = async (search: string) => await (await open(reports, `&${search}&format=json&from=2026-03-31`)).json();

  const [goal] = (await read("view=goals")).rows;
  assertEquals([goal.current.completions, goal.current.visitors, goal.current.value], [5, "fewer than 5", null]);
  const [page] = (await read("view=pages&goal=Order")).rows;
  assertEquals([page.conversion.conversions, page.conversion.value], ["fewer than 5", null]);
  const steps = await read("view=steps&step=order&key=plan");
  assertEquals([...steps.rows, ...steps.values.rows].map(({ count, goalValue }) => [count, goalValue]), [
    ...[[5, undefined], [5, undefined]],
  ]);
});

Deno.test("the funnel of a link to share says of no few visitors that nobody left", async () => {
  const others = ["a", "b"].flatMap((name) => visit(`/${name}`, 1));
  const reports = await createTestReports([...visit("/rare", 3), ...others], {
    keys: [{ ...KEY, sharedLinks: { board: { hash: HASH, site: SITE, views: ["funnel"] } } }],
  });
  const stages = ["page:/*", "step:order/rare", "page:/none"].map((stage) => `&stage=${stage}`).join("");

  // 5, 3 and none.
  await withPage(await open(reports, `&view=funnel${stages}&from=2026-03-31`), (document) => {
    assertEquals(textsOf(document, "tbody td:nth-of-type(1)"), ["5", "fewer than 5", "0"]);
    assertEquals(textsOf(document, "tbody td:last-child"), ["fewer than 5", "fewer than 5", "–"]);
  });
  await withPage(
    await open(reports, "&view=funnel&stage=page:/rare&stage=step:order/rare&from=2026-03-31"),
    (document) => {
      assertEquals(textsOf(document, "tbody td:last-child"), ["fewer than 5", "–"]);
    },
  );
});

Deno.test("no view of a link to share has a count that isn't rounded", async () => {
  const reports = await createTestReports([...EVENTS, ...visit("/often", 13), ...visit("/rare", 3)], {
    keys: [{ ...KEY, goals: GOALS, sharedLinks: { board: { hash: HASH, site: SITE, views: SHARED_VIEWS } } }],
  });
  const asked = [
    ...["view=funnel&stage=page:/*&stage=step:order/often", "view=steps&step=order/rare", "view=pages&goal=Rare"],
  ];
  const counts: unknown[] = [];

  for (const one of [...asked, ...SHARED_VIEWS.map((view) => `view=${view}`)]) {
    const answer = await open(reports, `&${one}&format=json&from=2026-03-01`);
    JSON.parse(await answer.text(), function (this: object, name, value) {
      // Beside rows, it is their number.
      if (COUNTS.includes(name) || (name === "count" && !("rows" in this))) counts.push(...[value].flat());
      return value;
    });
    for (const format of ["csv", "html"]) {
      const text = await (await open(reports, `&${one}&format=${format}&from=2026-03-01`)).text();
      assertEquals([one, format, /\d\.\d0{4}\d/.exec(text)?.[0]], [one, format, undefined]);
    }
  }

  assertEquals(counts.length > 300, true);
  assertEquals(counts.filter((count) => count !== "fewer than 5" && !(Number(count) % 5 === 0)), []);
});

Deno.test("a link to share adds up no rounded counts of consent", async () => {
  const events = Array.from({ length: 12 }, (_, index) =>
    buildPageview({
      timestamp: `2026-03-31T${String(index).padStart(2, "0")}:00:00.000Z`,
      ...{ pageUrl: `${SITE}/`, referrer: `https://site-${index}.example/`, sessionId: `s-${index}` },
      anonymousId: `v-${index}`,
    }));
  const reports = await createTestReports(events, {
    keys: [{ ...KEY, sharedLinks: { board: { hash: HASH, site: SITE, views: ["consent"] } } }],
  });

  const { current, parts } = await (await open(reports, "&view=consent&format=json&from=2026-03-31")).json();

  // One in each of 12 hours, and from each of 12 sites: as many small counts together would be 30.
  assertEquals([current.newlyConsented, current.arrivalsBeforeChoice, current.arrivals.full], [10, 10, 15]);
  assertEquals([parts[0].newlyConsented, parts[0].arrivalsBeforeChoice], ["fewer than 5", "fewer than 5"]);
});

Deno.test("a link to share adds up no rounded cohorts, nor parts of a step", async () => {
  const at = (time: string, visitor: string) => {
    const parts = { timestamp: `2026-03-${time}:00:00.000Z`, pageUrl: `${SITE}/`, anonymousId: visitor };
    return [
      buildPageview({ ...parts, sessionId: `${visitor}${time}` }),
      buildEvent({ ...parts, name: "order", sessionId: `${visitor}${time}` }),
    ];
  };
  // Of the 4 visitors of each of two days, one comes back the day after. Added up, the small counts would be 5 of 5.
  const visitors = ["a", "b", "c", "d"].flatMap((name) => [...at("28T10", name), ...at("29T11", `${name}2`)]);
  const reports = await createTestReports([...visitors, ...at("29T10", "a"), ...at("30T10", "a2")], {
    keys: [{ ...KEY, sharedLinks: { board: { hash: HASH, site: SITE, views: ["retention", "steps"] } } }],
  });
  const range = "&from=2026-03-28&to=2026-03-30";

  await withPage(await open(reports, `&view=retention&unit=day${range}`), (document) => {
    assertEquals(textsOf(document, "tbody th"), ["28 Mar 2026", "29 Mar 2026", "30 Mar 2026"]);
    assertEquals(textsOf(document, ".card .lead"), []);
  });
  await withPage(await open(reports, `&view=steps&step=order${range}`), (document) => {
    assertEquals(
      document.querySelector(".chart")?.getAttribute("aria-label"),
      "Bar chart, 28 Mar 2026 – 30 Mar 2026. The table below has the figures of each hour.",
    );
  });
});

Deno.test("a link to share tells two sites alike whose counts are the same when rounded", async () => {
  const readAll = async (often: number, rare: number): Promise<readonly string[]> => {
    const events = [...visit("/often", often), ...visit("/rare", rare)].map((event, place): StoredEvent => ({
      ...event,
      ...{ id: `e-${place}`, place, timestamp: "2026-03-31T10:00:00.000Z" },
      ...(event.name !== "$pageview" && { properties: { plan: event.name }, violation: "unknown" as const }),
      dimensions: { country: event.context?.pageUrl?.endsWith("/rare") === true ? "AT" : "DE" },
    }));
    const reports = await createTestReports(events, {
      keys: [{ ...KEY, goals: GOALS, sharedLinks: { board: { hash: HASH, site: SITE, views: SHARED_VIEWS } } }],
    });
    const asked = [
      ...SHARED_VIEWS.flatMap((view) => [`view=${view}`, `view=${view}&filter=country:AT`]),
      ...["pages&goal=Rare&sort=conversions", "pages&contains=r", "pages&limit=1", "pages&limit=1&offset=1"].map((
        one,
      ) => `view=${one}`),
      ...["audience&dimension=country&goal=Rare", "sources&by=landing&of=first", "steps&step=order/rare&key=plan"].map((
        one,
      ) => `view=${one}`),
      "view=funnel&stage=page:/*&stage=goal:Rare",
    ];
    const answers: string[] = [];
    for (const one of asked) {
      for (const format of ["html", "json", "csv"]) {
        const answer = await open(reports, `&${one}&format=${format}&from=2026-03-31`);
        assertEquals([one, format, answer.status], [one, format, 200]);
        answers.push(`${one} ${format} ${await answer.text()}`);
      }
    }
    return answers;
  };

  assertEquals(await readAll(14, 2), await readAll(13, 3));
});

Deno.test("createReports() takes no link that opens what none may, or that nobody could open", async () => {
  const link = { hash: HASH, site: SITE, views: ["overview"] };
  const views = `views must be some of ${SHARED_VIEWS.join(", ")}`;
  const cases = [
    [{ views: ["sites"] }, views],
    [{ views: ["overview", "person"] }, views],
    [{ views: [] }, views],
    [{ hash: TOKEN }, "hash must be SHA-256, as 64 hexadecimal digits in lower case"],
    [{ site: "shop.example" }, 'site must be an origin as browsers send it: "https://shop.example"'],
  ] as const;

  for (const [wrong, problem] of cases) {
    const key = { ...TEST_KEY, sharedLinks: { board: link, other: { ...link, ...wrong } } };
    await assertRejects(
      async () => await createTestReports([], { keys: [key] }),
      TypeError,
      `keys[0].sharedLinks[1].${problem}`,
    );
  }
});

Deno.test("keys share makes a link that the file has the hash of, and keys revoke ends it", async () => {
  const directory = await Deno.makeTempDir();
  const path = `${directory}/keys.json`;
  const run = (...args: readonly string[]): string => {
    try {
      return runKeysCommand([...args, "--keys-file", path], {});
    } catch (error) {
      return error instanceof Error ? error.message : "";
    }
  };
  run("new", "shop", SITE, "--reports");

  const [, token = ""] = /^link {2}\/reports\?share=(\w{32})$/.exec(
    run("share", "shop", "board", "--site", SITE, "--views", "overview,consent"),
  ) ?? [];
  const [key] = readKeysFile(path);

  assertEquals(key?.sharedLinks, {
    board: { hash: createHash("sha256").update(token).digest("hex"), site: SITE, views: ["overview", "consent"] },
  });
  assertEquals(run("list").includes("yes,board (link)"), true);
  assertEquals(
    run("share", "shop", "other", "--site", "https://other.example"),
    `shop has no site https://other.example; there are ${SITE}`,
  );
  assertEquals(
    run("share", "shop", "other", "--site", SITE, "--views", "person").startsWith('a link opens no view "person"'),
    true,
  );
  run("new", "all", "any", "--reports");
  assertEquals(
    run("share", "all", "other", "--site", "shop.example"),
    'keys[1].sharedLinks[0].site must be an origin as browsers send it: "https://shop.example"',
  );
  assertEquals(run("share", "shop", "other"), "there is no site: name one with --site ORIGIN");
  assertEquals(run("report", "shop", "board").startsWith("shop has a secret for board"), true);
  assertEquals(run("revoke", "shop", "board"), "the secret of board is revoked");
  assertEquals(readKeysFile(path)[0]?.sharedLinks, undefined);
  await Deno.remove(directory, { recursive: true });
});
