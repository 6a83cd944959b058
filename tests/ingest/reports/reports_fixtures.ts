import { createReports, type ReportKey, type Reports, type ReportsOptions } from "../../../src/ingest/mod.ts";
import type { StoredEvent } from "../../../src/ingest/mod.ts";
import type { ReportReader } from "../../../src/ingest/ports/reader.ts";
import { SITE } from "./fixtures.ts";
import { createEventModel } from "./event_model.ts";
import { createReferenceStore } from "./reference_store.ts";
import { storeEvents } from "./report_store.ts";

export const SECRET = "sk_test_0123456789";

export const TEST_KEY: ReportKey = {
  apiKey: "pk_test_1",
  secretKey: SECRET,
  origins: [SITE, "https://blog.example"],
};

export const REPORTS_URL = "https://ingest.shop.example/reports";

/** Noon of the last day of the fixtures' quarter. */
export const NOW_MS: number = Date.parse("2026-03-31T12:00:00.000Z");

/** Takes what a reader in a thread or of a class takes, and nothing else: what can't be cloned throws, and a method by itself. */
function createStrictReader(reader: ReportReader): ReportReader {
  const strict: ReportReader = new Proxy(reader, {
    get: (target, name: keyof ReportReader) =>
      target[name] &&
      function (this: unknown, ...given: readonly never[]): unknown {
        if (this !== strict) throw new TypeError(`${name}() was called without its reader`);
        return (target[name] as (...given: readonly never[]) => unknown)(...structuredClone(given));
      },
  });
  return strict;
}

/** Creates reports of events in memory. */
export async function createTestReports(
  events: readonly StoredEvent[],
  changes: Partial<ReportsOptions> = {},
): Promise<Reports> {
  const { sink, eventsOf } = createEventModel();
  await storeEvents(sink, events);
  return createReports({
    keys: [TEST_KEY],
    reader: createStrictReader(createReferenceStore(eventsOf)),
    now: () => NOW_MS,
    ...changes,
  });
}

/** Asks for a report with the secret. The search begins with `?`, or is empty. */
export async function ask(reports: Reports, search: string, init: RequestInit = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${SECRET}` };
  const answer = await reports(new Request(REPORTS_URL + search, { headers, ...init }));
  if (!answer) throw new Error("the reports took no notice of the request");
  return answer;
}

/** An answer in JSON that says why there is no report. */
export interface ReadProblem {
  readonly status: number;
  readonly body: { readonly error: { readonly code: string; readonly message: string } };
}

/** Reads an answer that says why there is no report. */
export async function readProblem(answer: Response): Promise<ReadProblem> {
  return { status: answer.status, body: await answer.json() };
}
