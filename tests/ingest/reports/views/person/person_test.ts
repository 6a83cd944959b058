import { assertEquals, assertRejects } from "@std/assert";
import { parseDataCommand } from "../../../../../src/ingest/server/cli/data_command.ts";
import { buildEvent, buildPageview, SITE } from "../../fixtures.ts";
import { ask, createTestReports, readProblem, SECRET, TEST_KEY } from "../../reports_fixtures.ts";

const ADA = { anonymousId: "ada", userId: "o'neil", sessionId: "s-1", pageUrl: `${SITE}/` } as const;

const EVENTS = [
  buildPageview({ ...ADA, timestamp: "2026-03-30T10:00:00.000Z" }),
  { ...buildEvent({ ...ADA, timestamp: "2025-03-31T10:00:00.000Z", name: "order" }), properties: { plan: "pro" } },
  buildPageview({ ...ADA, timestamp: "2026-03-31T10:00:00.000Z", pageUrl: "https://blog.example/" }),
  buildPageview({ anonymousId: "bob", sessionId: "s-2", timestamp: "2026-03-31T11:00:00.000Z", pageUrl: `${SITE}/` }),
];

const post = (body: BodyInit, type = "application/x-www-form-urlencoded"): RequestInit => ({
  method: "POST",
  headers: { Authorization: `Bearer ${SECRET}`, "Content-Type": type },
  body,
});

Deno.test("createReports() answers with the events of one person on a site, whatever the days and filters", async () => {
  const reports = await createTestReports(EVENTS);

  const search = "?view=person&format=json&from=2026-01-01&to=2026-01-31&filter=page:/none";
  const answer = await ask(reports, search, post("userId=o%27neil&anonymousId="));
  const { events, eraseCommand, ...view } = await answer.json();
  const csv = await ask(reports, "?view=person&format=csv", post("userId=o%27neil"));

  assertEquals(answer.headers.get("Cache-Control"), "no-store");
  assertEquals(answer.headers.get("Content-Disposition"), 'attachment; filename="person-shop.example.json"');
  assertEquals(view, { view: "person", site: SITE, of: { userId: "o'neil" } });
  assertEquals(events, [EVENTS[0], EVENTS[1]]);
  assertEquals(eraseCommand, `vendor-ingest data erase --key='pk_test_1' --user-id='o'\\''neil'`);
  const [heads = "", , row = ""] = (await csv.text()).split("\r\n");
  assertEquals([heads.slice(0, 11), row.includes("o'neil"), row.includes(`{""plan"":""pro""}`)], [
    '"id","name"',
    true,
    true,
  ]);
  assertEquals<unknown>((await reports.person({ anonymousId: "bob" })).events, [EVENTS[3]]);
  assertEquals<unknown>((await reports.person({ userId: "o'neil", offset: 1 })).events, [EVENTS[1]]);
  assertEquals<unknown>((await reports.person({ userId: "o'neil", site: "https://blog.example" })).events, [EVENTS[2]]);
  await assertRejects(() => reports.person({ anonymousId: "" }), TypeError, "send either anonymousId or userId");
});

Deno.test("the command that erases somebody is one that the program takes", async () => {
  const reports = await createTestReports(EVENTS);
  const { eraseCommand } = await reports.person({ anonymousId: "-a b" });
  const odd = "o'n\u202e\\1\u0085\u2028eil\n";
  const { eraseCommand: ofOdd } = await reports.person({ userId: odd });
  const [, word = ""] = /--user-id=(.+)$/s.exec(ofOdd) ?? [];
  const { stdout } = new Deno.Command("bash", { args: ["-c", `printf %s ${word}`] }).outputSync();
  assertEquals(new TextDecoder().decode(stdout), odd);
  assertEquals(/^[\x20-\x7e]+$/.test(ofOdd), true);
  // No quotes in it: what a shell makes of the words.
  const args = [...eraseCommand.matchAll(/(--[\w-]+)='([^']*)'/g)].map(([, name, value]) => `${name}=${value}`);

  const command = parseDataCommand(["erase", ...args, "--sink", "file:events"], {});

  if (command === "help" || command.action !== "erase") throw new Error("it erases nobody");
  assertEquals<unknown>(command.subject, { apiKey: TEST_KEY.apiKey, anonymousId: "-a b" });
});

Deno.test("createReports() takes a POST for one person alone, as a small form", async () => {
  const reports = await createTestReports(EVENTS);
  const read = async (search: string, init: RequestInit): Promise<unknown> => {
    const { status, body } = await readProblem(await ask(reports, `${search}&format=json`, init));
    return [status, body.error?.code];
  };
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1024)) });

  assertEquals(await read("?view=pages", post("userId=a")), [405, "method_not_allowed"]);
  assertEquals(await read("?view=person", post("userId=a", "text/plain")), [415, "unsupported_media_type"]);
  assertEquals(await read("?view=person", post(`userId=${"a".repeat(16_377)}`)), [200, undefined]);
  assertEquals(await read("?view=person", post(`userId=${"a".repeat(16_378)}`)), [413, "body_too_large"]);
  assertEquals(await read("?view=person", post(endless)), [413, "body_too_large"]);
  assertEquals(await read("?view=person", post("userId=a&anonymousId=b")), [400, "bad_person"]);
  assertEquals(await read("?view=person", post("")), [400, "bad_person"]);
  assertEquals(await read("?view=person&userId=a", {}), [400, "bad_person"]);
  assertEquals(await read("?view=person", { ...post("userId=a"), headers: {} }), [401, "unauthorized"]);
  assertEquals((await ask(reports, "?view=person", post(`userId=${"a".repeat(16_378)}`))).status, 413);
});
