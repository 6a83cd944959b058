import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ConversionCounts, ConvertedList, ReportReader } from "../../../../src/ingest/ports/reader.ts";
import type { ReportQuery } from "../../../../src/ingest/ports/report_query.ts";
import { createEventModel, type EventModel } from "../../reports/event_model.ts";
import { createReferenceStore } from "../../reports/reference_store.ts";
import { storeEvents } from "../../reports/report_store.ts";
import { aQuestion, type Question } from "../../reports/question_arbitrary.ts";
import { aHistory, type HistoryStep, KEEP_DAYS } from "../../reports/visit_arbitrary.ts";
import { at } from "../../reports/visit_fixtures.ts";
import type { RegisterTest, ReportStoreParts } from "./fixtures.ts";

/** How a store is tested. */
export interface ReportStoreTestOptions {
  /**
   * How many histories it is given, always the same. The environment variable `REPORT_RUNS` asks for so many others.
   *
   * @default {20}
   */
  readonly numRuns?: number;
  /**
   * How many questions are asked after each thing that happens, at most.
   *
   * @default {5}
   */
  readonly maxQuestions?: number;
  /**
   * Whether the first history that is counted wrongly is told as it is: a shorter one takes many more.
   *
   * @default {false}
   */
  readonly endOnFailure?: boolean;
  /**
   * Whether the store gives a backend's step to the visitor of its user, and to the visit in which that visitor came last, and
   * counts whom a span has seen by the events of pages alone. Otherwise the tests store nothing of a visitor or a user
   * that has no session.
   *
   * @default {false}
   */
  readonly knowsBackends?: boolean;
}

const DEFAULT_RUNS = 20;

/** Of these histories, some have ways through a funnel, and visitors who return. */
const SEED = 2;

/** Time of an event that no store is too old for. */
const KEPT = "2199-01-01T00:00:00.000Z";

/** Leaves the ids of people out of what has no session. */
function leaveOutBackends(step: HistoryStep): HistoryStep {
  if (step.kind !== "store") return step;
  return {
    ...step,
    events: step.events.map((event) =>
      event.collection === "full" && event.sessionId === undefined ? { ...event, identity: { userId: null } } : event
    ),
  };
}

async function happen(
  step: HistoryStep,
  nameKey: (key: number) => string,
  { sink, data }: Pick<EventModel, "sink"> & Partial<Pick<ReportStoreParts, "data">>,
): Promise<void> {
  if (step.kind === "store") return await storeEvents(sink, step.events, { apiKey: nameKey(step.key) });
  if (step.kind === "prune") return void await data?.prune({ keepDays: KEEP_DAYS });
  const apiKey = nameKey(step.key);
  await data?.erase(
    "userId" in step
      ? { apiKey, userId: step.userId, withVisitors: step.withVisitors }
      : { apiKey, anonymousId: step.anonymousId },
  );
}

/** Counts the sources that have more sessions once each is under the source of its visitor's first. */
async function countMoved(store: ReportReader, apiKey: string, { query, sources }: Question): Promise<number> {
  const asked = { apiKey, ...query };
  const [own, first] = [
    await store.sources(asked, { by: sources.by }, 1_000),
    await store.sources(asked, sources, 1_000),
  ];
  return first.rows.filter(({ label, sessions }) =>
    sessions > (own.rows.find((row) => row.label === label)?.sessions ?? 0)
  ).length;
}

async function readViews(store: ReportReader, apiKey: string, question: Question) {
  const { query, bounds, sources, audience, of, counted, funnel, retention, person, rows, choices } = question;
  const asked = { apiKey, ...query };
  return {
    overview: await store.overview(asked, bounds),
    flagged: await store.countFlagged(asked),
    pages: await store.pages(asked, rows),
    chosenPages: await store.pages(asked, rows, choices.pages),
    sources: await store.sources(asked, sources, rows),
    chosenSources: await store.sources(asked, sources, rows, choices.sources),
    audience: await store.audience(asked, audience, rows),
    chosenAudience: await store.audience(asked, audience, rows, choices.audience),
    steps: await store.steps(asked, rows),
    chosenSteps: await store.steps(asked, rows, choices.steps),
    values: await store.stepValues(asked, of, rows),
    chosenValues: await store.stepValues(asked, of, rows, choices.values),
    violations: await store.violations(asked, rows, { skip: choices.steps.skip ?? 0 }),
    sites: await store.sites(apiKey),
    lastTime: await store.lastTime(asked),
    conversions: store.conversions && await readConversions(store.conversions, asked, question),
    counted: await store.countEvents(asked, counted, bounds),
    funnel: await store.funnel(asked, funnel),
    retention: await store.retention(asked, retention),
    acceptance: await store.acceptance(asked, bounds),
    // Texts that are no Unicode come out of some stores otherwise.
    person: (await store.person({ apiKey, site: query.site, ...person }, rows)).map(({ id, timestamp }) => ({
      id,
      timestamp,
    })),
  };
}

/** Reads of each list which sessions reach the first goal, by the names of its rows. */
async function readConversions(
  conversions: NonNullable<ReportReader["conversions"]>,
  asked: ReportQuery,
  { sources: { by, of = "session" }, audience, of: { step, key = "plan" }, counted: [goal], names }: Question,
): Promise<unknown> {
  if (goal === undefined) return [];
  const read = async (list: ConvertedList): Promise<readonly ConversionCounts[]> =>
    [...await conversions(asked, { ...list, goal }, names)].sort((one, other) => one.name < other.name ? -1 : 1);
  return {
    pages: await read({ list: "pages" }),
    sources: await read({ list: "sources", by, of }),
    audience: await read({ list: "audience", by: audience }),
    values: await read({ list: "values", step, key }),
  };
}

/** Registers the test of any history, counted by the reference. */
export function testHistories(
  test: RegisterTest,
  { numRuns = DEFAULT_RUNS, maxQuestions = 5, endOnFailure = false, knowsBackends = false }: ReportStoreTestOptions,
): void {
  test("counts any history as the reference does, after each thing that happens", async ({ sink, store, data }) => {
    // Or nothing would be left of some histories, and a store refuses to prune all.
    await storeEvents(sink, [{ ...at("10:00"), timestamp: KEPT, receivedAt: KEPT }], { apiKey: "pk_kept" });
    const runs = Deno.env.get("REPORT_RUNS");
    let run = 0;
    let [sessions, ways, returns, newcomers, moved] = [0, 0, 0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.noBias(aHistory),
        fc.array(aQuestion, { minLength: Math.min(3, maxQuestions), maxLength: maxQuestions }),
        async (anyHistory, questions) => {
          const history = knowsBackends ? anyHistory : anyHistory.map(leaveOutBackends);
          const model = createEventModel();
          // In another order than that of arrival.
          const reference = createReferenceStore((apiKey) =>
            model.eventsOf(apiKey).toSorted((one, other) => one.id < other.id ? -1 : 1)
          );
          const number = run++;
          const nameKey = (key: number): string => `pk_run_${number}_${key}`;
          for (const step of history) {
            if (step.kind !== "store" && data === undefined) continue;
            await happen(step, nameKey, data === undefined ? { sink } : { sink, data });
            await happen(step, nameKey, model);
            for (const question of questions) {
              const apiKey = nameKey(question.key);
              const expected = await readViews(reference, apiKey, question);
              const found = await readViews(store, apiKey, question);
              for (const [view, counts] of Object.entries(found)) {
                if (counts === undefined) continue;
                assertEquals({ view, counts }, { view, counts: Reflect.get(expected, view) });
              }
              sessions += expected.overview.total.sessions;
              if (question.sources.of === "first") moved += await countMoved(reference, apiKey, question);
              ways += expected.funnel[1]?.visitors ?? 0;
              newcomers += expected.acceptance.reduce((sum, { newlyConsented }) => sum + newlyConsented, 0);
              returns += expected.retention.reduce((sum, { returned }) => sum + (returned[1] ?? 0), 0);
            }
          }
        },
      ),
      { ...(runs === undefined ? { numRuns, seed: SEED } : { numRuns: Number(runs) }), endOnFailure },
    );

    // Or the runs proved nothing.
    const proofs = [sessions, ways, returns, newcomers, moved];
    assertEquals(proofs.every((count) => count > 0) || (runs ?? numRuns) !== DEFAULT_RUNS, true, `${proofs}`);
  });
}
