import { assertEquals } from "@std/assert";
import { queryFolder } from "../../src/ingest/stores/file/query_folder.ts";
import { ANSWERS, GUIDE_EVENTS, GUIDE_KEY, readQueries, toCells } from "./sql_guide.ts";
import { OTHER_KEY } from "./fixtures.ts";
import type { ReportQuery } from "../../src/ingest/ports/report_query.ts";
import { ask } from "./reports/visit_fixtures.ts";
import { batchOf } from "./stores/sink_contract.ts";
import { withFileStore } from "./stores/file/file_store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const [FROM, TO] = [Date.parse("2026-01-01"), Date.parse("2026-02-01")];

const RANGE: Partial<ReportQuery> = { apiKey: GUIDE_KEY, site: "https://shop.example", from: FROM, to: TO };

Deno.test("each query of the guide to SQL has its answer from a folder, and the reports' own figure", () =>
  withFileStore(async ({ folder, sink, reader }) => {
    for (const key of [GUIDE_KEY, OTHER_KEY]) {
      // A session of several files, and of the tail.
      for (const event of GUIDE_EVENTS) await sink.store(batchOf([event], key));
    }
    const { queries } = await readQueries();

    const answers: ReturnType<typeof toCells>[][] = [];
    for (const sql of queries) {
      const { columns, rows } = await queryFolder({ folder, sql, apiKey: GUIDE_KEY });
      answers.push(
        rows.map((row) => toCells(Object.fromEntries(columns.map((name, index) => [name, row[index]])))),
      );
    }
    const query = ask(RANGE);
    const bounds = Array.from({ length: (TO - FROM) / DAY_MS + 1 }, (_, day) => FROM + day * DAY_MS);
    const [{ parts }, pages, entries, referrers, funnel, values] = await Promise.all([
      reader.overview(query, bounds),
      reader.pages(query, 20),
      reader.sources(query, { by: "landing" }, 20),
      reader.sources(query, { by: "referrer" }, 20),
      reader.funnel(query, {
        stages: [[{ step: "plan_chosen" }], [{ step: "signup" }]],
        within: 7 * DAY_MS,
        order: "sequential",
      }),
      reader.stepValues(query, { step: "signup", key: "plan" }, 20),
    ]);
    const days = parts.map((part, day) => ({ ...part, day: new Date(FROM + day * DAY_MS).toISOString().slice(0, 10) }))
      .filter(({ pageviews, visitors }) => pageviews.full + pageviews.aggregate + visitors > 0);
    const sum = ({ full, aggregate }: { readonly full: number; readonly aggregate: number }): number =>
      full + aggregate;

    assertEquals(answers, ANSWERS);
    assertEquals(answers[0], days.map(({ day, visitors, pageviews }) => [day, visitors, sum(pageviews)]));
    assertEquals(answers[1], pages.rows.map(({ path, views, visitors }) => [path, sum(views), visitors]));
    assertEquals(
      answers[2],
      entries.rows.flatMap(({ label, landings }) => label === null || landings === 0 ? [] : [[label, landings]]),
    );
    assertEquals(
      answers[3]?.map(([label, views]) => [label, views]).toSorted(),
      referrers.rows.map(({ label, views }) => [label ?? "(none)", sum(views)]).toSorted(),
    );
    assertEquals(answers[4], [funnel.map(({ visitors }) => visitors)]);
    assertEquals(
      answers[6],
      values.values.map(({ value, count, visitors }) => [JSON.stringify(value), count, visitors]),
    );
    assertEquals(
      answers[8],
      days.map(({ day, sessions, landings, bounces }) => {
        const [, , views] = answers[8]?.find(([one]) => one === day) ?? [];
        return [day, sessions, views ?? 0, landings, bounces];
      }),
    );
  }));
