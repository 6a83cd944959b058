import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { NO_PATH_RULES } from "../../../../src/ingest/events/path_rules.ts";
import type { StoredEvent } from "../../../../src/ingest/mod.ts";
import type { ReportQuery } from "../../../../src/ingest/ports/reader.ts";
import { createBackupCalls } from "../../../../src/ingest/stores/sqlite/sqlite_backup.ts";
import { openFacts } from "../../../../src/ingest/stores/sqlite/sqlite_facts.ts";
import { loadSqlite } from "../../../../src/ingest/platform/sqlite_module.ts";
import { openStore } from "../../../../src/ingest/stores/sqlite/sqlite_store.ts";
import { openChosen } from "../../../../src/ingest/stores/sqlite/visits/chosen.ts";
import { countOverview } from "../../../../src/ingest/stores/sqlite/visits/overview.ts";
import { countPages } from "../../../../src/ingest/stores/sqlite/visits/pages.ts";
import { countSources } from "../../../../src/ingest/stores/sqlite/visits/sources.ts";
import { countSteps, countValues, countViolations } from "../../../../src/ingest/stores/sqlite/visits/steps.ts";
import { buildEvent, buildPageview, SITE } from "../../reports/fixtures.ts";
import { KEY, storeEvents } from "../../reports/report_store.ts";
import { createSqliteData, createSqliteReader, createSqliteSink, withDirectory } from "./in_thread.ts";

const QUERY: ReportQuery = {
  apiKey: KEY,
  site: SITE,
  traffic: "people",
  from: Date.parse("2026-01-01"),
  to: Date.parse("2026-04-01"),
  filters: [],
  ownOrigins: [],
  pathRules: NO_PATH_RULES,
};

const withPath = (use: (path: string) => Promise<void> | void): Promise<void> =>
  withDirectory(async (directory) => await use(`${directory}/events.sqlite`));

/** Returns a number of pageviews, each of a visitor of its own. */
function buildViews(count: number): readonly StoredEvent[] {
  return Array.from(
    { length: count },
    (_, index) =>
      buildPageview({ pageUrl: `${SITE}/${index % 7}`, sessionId: `s-${index}`, anonymousId: `v-${index}` }),
  );
}

/** Opens a database as one process does, and closes it. */
function withStore<R>(path: string, use: (store: ReturnType<typeof openStore>) => R): R {
  const store = openStore(loadSqlite(), path);
  try {
    return use(store);
  } finally {
    store.database.close();
  }
}

/** Stores events of which no facts are made yet. */
function addEvents(path: string, events: readonly StoredEvent[]): void {
  withStore(path, ({ database, insert }) => {
    database.exec("BEGIN");
    for (const event of events) insert.run(KEY, event.id, JSON.stringify(event));
    database.exec("COMMIT");
  });
}

/** Counts what has facts by now; nothing is made for it. */
function countNow(path: string): { readonly visitors: number; readonly views: number; readonly sessions: number } {
  const database = new DatabaseSync(path, { readOnly: true });
  const { total } = countOverview(openChosen(database, QUERY), []);
  database.close();
  return { visitors: total.visitors, views: total.pageviews.full, sessions: total.sessions };
}

function followAll(path: string): void {
  withStore(path, ({ facts }) => {
    while (facts.follow());
    facts.recount();
  });
}

Deno.test("openFacts() goes on where an earlier process ended, and counts each event once", () =>
  withPath((path) => {
    addEvents(path, buildViews(3000));

    withStore(path, ({ facts }) => facts.follow());
    const { views: first } = countNow(path);
    withStore(path, ({ facts }) => facts.follow());
    const { views: second } = countNow(path);
    followAll(path);

    assert(first > 0 && first < second && second < 3000, `${first} and ${second}`);
    assertEquals(countNow(path), { visitors: 3000, views: 3000, sessions: 3000 });
  }));

Deno.test("openFacts() leaves nothing of a transaction that is broken off", () =>
  withPath((path) => {
    withStore(path, ({ database, insert }) => {
      for (const event of buildViews(10)) insert.run(KEY, event.id, JSON.stringify(event));
      database.exec(
        "CREATE TRIGGER stop BEFORE INSERT ON facts WHEN NEW.seq = 7 BEGIN SELECT raise(ABORT, 'stop'); END",
      );
      let message = "";
      try {
        openFacts(database).follow();
      } catch (error) {
        message = String(error);
      }
      assert(message.includes("stop"), message);
      database.exec("DROP TRIGGER stop");
    });
    assertEquals(countNow(path).views, 0);

    followAll(path);

    assertEquals(countNow(path), { visitors: 10, views: 10, sessions: 10 });
  }));

Deno.test("openFacts() takes an event that is given the number of one that was deleted", () =>
  withPath((path) => {
    const [one, two, other] = buildViews(3);
    withStore(path, ({ database, insert, facts }) => {
      for (const event of [one, two]) insert.run(KEY, event?.id ?? "", JSON.stringify(event));
      facts.follow();
      database.exec("DELETE FROM events WHERE seq = 2");
      insert.run(KEY, other?.id ?? "", JSON.stringify(other));
      assertEquals(database.prepare("SELECT max(seq) AS seq FROM events").get()?.seq, 2);
      facts.follow();
      facts.recount();
    });

    assertEquals(countNow(path), { visitors: 2, views: 2, sessions: 2 });
  }));

Deno.test("openFacts() leaves a visit that loses events to whoever reads: a long one takes long", () =>
  withPath((path) => {
    const events = Array.from(
      { length: 10 },
      (_, minute) =>
        buildPageview({
          timestamp: `2026-03-01T10:0${minute}:00.000Z`,
          pageUrl: `${SITE}/${minute}`,
          sessionId: "s-1",
        }),
    );
    withStore(path, ({ database, insert, facts }) => {
      for (const event of events) insert.run(KEY, event.id, JSON.stringify(event));
      facts.follow();
      database.exec("DELETE FROM events WHERE seq <= 4");
      facts.follow();
      const countViews = (): unknown => ({ ...database.prepare("SELECT views, entry_time FROM visits").get() });
      assertEquals(countViews(), { views: 10, entry_time: Date.parse("2026-03-01T10:00:00.000Z") });
      facts.recount();
      assertEquals(countViews(), { views: 6, entry_time: Date.parse("2026-03-01T10:04:00.000Z") });
      database.exec("DELETE FROM events");
      facts.recount();
      assertEquals(countViews(), {});
    });
  }));

Deno.test("a backup of a database whose facts are half made is whole when it's opened", () =>
  withDirectory((directory) => {
    const [path, copy] = [`${directory}/events.sqlite`, `${directory}/copy.sqlite`];
    addEvents(path, buildViews(3000));
    withStore(path, ({ facts }) => facts.follow());
    Deno.writeTextFileSync(copy, "");

    createBackupCalls().backUp(path, copy);
    followAll(copy);

    assertEquals(countNow(copy).views, 3000);
    return Promise.resolve();
  }));

Deno.test("an erasure leaves no text behind that nobody else has", () =>
  withPath(async (path) => {
    const secrets = ["path", "step", "source", "campaign", "key", "value", "kind"].map((name) =>
      `only-${name}-of-theirs`
    );
    const [page, step, source, campaign, key = "", value, missing] = secrets;
    const sink = await createSqliteSink({ path });
    const reader = await createSqliteReader({ path });
    const data = createSqliteData({ path });
    const theirs = { anonymousId: "v-theirs", sessionId: "s-theirs" };
    const shared = { pageUrl: `${SITE}/shared`, referrer: "https://shared.example" };
    await storeEvents(sink, [
      buildPageview({ ...theirs, ...shared }),
      buildPageview({
        ...theirs,
        pageUrl: `${SITE}/${page}?utm_source=mail&utm_campaign=${campaign}`,
        referrer: `https://${source}.example`,
      }),
      { ...buildEvent({ ...theirs, ...shared, name: step ?? "" }), properties: { [key]: value, plan: "pro" } },
      buildEvent({ ...theirs, ...shared, name: missing ?? "", violation: "unknown" }),
      buildPageview({ ...shared, anonymousId: "v-other", sessionId: "s-other" }),
      { ...buildEvent({ ...shared, name: "order", anonymousId: "v-other" }), properties: { plan: "pro" } },
    ]);
    const before = await reader.pages(QUERY, 10);
    assert(Deno.readFileSync(path).length > 0 && before.count === 2, `${before.count}`);
    const everywhere = (): string =>
      [path, `${path}-wal`].map((file) => {
        try {
          return new TextDecoder("latin1").decode(Deno.readFileSync(file));
        } catch {
          return "";
        }
      }).join("\n");
    assertEquals(secrets.filter((secret) => !everywhere().includes(secret)), []);

    await data.erase({ apiKey: KEY, anonymousId: "v-theirs" }, { vacuum: true });
    await Promise.all([reader.close(), data.close()]);
    await sink.close();

    assertEquals(secrets.filter((secret) => everywhere().includes(secret)), []);
    assert(everywhere().includes("https://shared.example"));
    assertEquals(countNow(path), { visitors: 1, views: 1, sessions: 1 });
    const database = new DatabaseSync(path);
    const texts = database.prepare("SELECT text FROM fact_texts ORDER BY text").all().map(({ text }) => text);
    database.close();
    assertEquals(texts, ["$pageview", "/shared", "order", "plan", "pro"]);
  }));

Deno.test("forgetTexts() keeps a text that an event has by now which came while it looked", () =>
  withPath((path) => {
    withStore(path, ({ database, insert, facts }) => {
      const [gone, kept] = ["/gone", "/kept"].map((page) => buildPageview({ pageUrl: SITE + page })) as [
        StoredEvent,
        StoredEvent,
      ];
      for (const event of [gone, kept]) insert.run(KEY, event.id, JSON.stringify(event));
      facts.follow();
      database.exec("DELETE FROM events WHERE seq = 1");
      // Between its look and its lock: another process takes an event with the same path.
      const again = buildPageview({ pageUrl: `${SITE}/gone` });
      const other = new DatabaseSync(path, { timeout: 10_000 });
      const { exec } = database;
      let isFirst = true;
      database.exec = (sql: string) => {
        if (isFirst && sql.startsWith("BEGIN")) {
          isFirst = false;
          other.prepare("INSERT INTO events (api_key, id, event) VALUES (?, ?, ?)").run(
            KEY,
            again.id,
            JSON.stringify(again),
          );
          openFacts(other).follow();
        }
        exec.call(database, sql);
      };
      facts.forgetTexts();
      database.exec = exec;
      other.close();
      const { rows } = countPages(openChosen(database, QUERY), 10);
      assertEquals(rows.map((row) => row.path), ["/gone", "/kept"]);
    });
  }));

Deno.test("forgetTexts() begins anew where a number was given to another event while it looked", () =>
  withPath((path) => {
    withStore(path, ({ database, insert, facts }) => {
      const [gone, last] = ["/gone", "/last"].map((page) => buildPageview({ pageUrl: SITE + page })) as [
        StoredEvent,
        StoredEvent,
      ];
      for (const event of [gone, last]) insert.run(KEY, event.id, JSON.stringify(event));
      facts.follow();
      database.exec("DELETE FROM events WHERE seq = 1");
      // The newest goes, and an event with the text that is to be forgotten gets its number.
      const again = buildPageview({ pageUrl: `${SITE}/gone` });
      const other = new DatabaseSync(path, { timeout: 10_000 });
      const { exec } = database;
      let begun = 0;
      database.exec = (sql: string) => {
        if (sql.startsWith("BEGIN IMMEDIATE") && begun++ === 0) {
          other.exec("DELETE FROM events WHERE seq = 2");
          other.prepare("INSERT INTO events (api_key, id, event) VALUES (?, ?, ?)").run(
            KEY,
            again.id,
            JSON.stringify(again),
          );
          openFacts(other).follow();
        }
        exec.call(database, sql);
      };
      facts.forgetTexts();
      database.exec = exec;
      other.close();
      assertEquals(countPages(openChosen(database, QUERY), 10).rows.map((row) => row.path), ["/gone"]);
      assertEquals(begun > 1, true, `${begun}`);
    });
  }));

Deno.test("recount() forgets a site that has no event any more", () =>
  withPath((path) => {
    withStore(path, ({ database, insert, facts }) => {
      for (const event of buildViews(3)) insert.run(KEY, event.id, JSON.stringify(event));
      facts.follow();
      database.exec("DELETE FROM events");
      facts.recount();
      const { count } = database.prepare("SELECT count(*) AS count FROM fact_scopes").get() ?? {};
      assertEquals(count, 0);
    });
  }));

Deno.test("recount() leaves a long visit that loses an event while it's counted for the next time", () =>
  withPath((path) => {
    withStore(path, ({ database, insert, facts }) => {
      database.exec("BEGIN");
      for (let count = 0; count < 2500; count++) {
        const event = buildPageview({ pageUrl: `${SITE}/`, sessionId: "s-1" });
        insert.run(KEY, event.id, JSON.stringify(event));
      }
      database.exec("COMMIT");
      while (facts.follow());
      database.exec("DELETE FROM events WHERE seq = 1");
      const other = new DatabaseSync(path, { timeout: 10_000 });
      const { exec } = database;
      let commits = 0;
      database.exec = (sql: string) => {
        exec.call(database, sql);
        // Behind the look at the visit, which is in a transaction of its own.
        if (sql === "COMMIT" && ++commits === 2) other.exec("DELETE FROM events WHERE seq = 2");
      };
      const wasRight = facts.recount();
      database.exec = exec;
      other.close();
      const isRight = facts.recount();
      assertEquals([wasRight, isRight, database.prepare("SELECT views FROM visits").get()?.views], [false, true, 2498]);
    });
  }));

Deno.test("the views read a range of a site, and no other fact", () =>
  withPath((path) => {
    followAll(path);
    const database = new DatabaseSync(path);
    const asked: string[] = [];
    const { prepare } = database;
    database.prepare = (sql: string) => {
      asked.push(sql);
      return prepare.call(database, sql);
    };
    const chosen = openChosen(database, QUERY);
    countOverview(chosen, [QUERY.from, QUERY.to]);
    countPages(chosen, 10);
    countSources(chosen, { by: "channel" }, 10);
    countSteps(chosen, 10);
    countViolations(chosen, 10);
    countValues(chosen, { step: "x", key: "y" }, 10);
    database.prepare = prepare;
    const plans = asked.filter((sql) => /^\s*SELECT/.test(sql)).flatMap((sql) =>
      database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all().map(({ detail }) => String(detail))
    );
    database.close();
    assertEquals(plans.filter((detail) => /^SCAN (f|facts|v|visits|events)\b/.test(detail)), []);
    assert(plans.length > 20, `${plans.length}`);
  }));
