import type { ReportReader } from "../../ports/reader.ts";
import { coarsenCount, coarsenSum, isFew } from "../query/few.ts";

/** Sums of what isn't counted one by one. */
const SUMS: readonly string[] = ["engagedMs", "sum"];

/** Numbers that count nothing: the value of a property, a time, and ranks. */
const PLAIN: readonly string[] = ["value", "from", "medianMs", "medianSessionMs", "median", "p75", "p90"];

/** Creates the reader for a link to share: rates and changes come of its counts, and so tell no more than these. */
export function createCoarseReader(reader: ReportReader): ReportReader {
  return {
    sites: (...asked) => reader.sites(...asked),
    lastTime: (...asked) => reader.lastTime(...asked),
    person: (...asked) => reader.person(...asked),
    close: () => reader.close(),
    ...(reader.damaged !== undefined && { damaged: async () => await reader.damaged?.() ?? [] }),
    countPageviews: async (...asked) => coarsenCount(await reader.countPageviews(...asked)),
    countFlagged: async (...asked) => coarsen(await reader.countFlagged(...asked)),
    overview: async (...asked) => {
      const { total, parts } = coarsen(await reader.overview(...asked));
      return { total: { ...total, medianSessionMs: isFew(total.sessions) ? null : total.medianSessionMs }, parts };
    },
    pages: async (...asked) => coarsenList(await reader.pages(...asked)),
    sources: async (...asked) => coarsenList(await reader.sources(...asked)),
    audience: async (...asked) => coarsenList(await reader.audience(...asked)),
    steps: async (...asked) => coarsenList(await reader.steps(...asked)),
    violations: async (...asked) => coarsenList(await reader.violations(...asked)),
    stepValues: async (...asked) => {
      const values = await reader.stepValues(...asked);
      const coarse = coarsen(values);
      const numbers = isFew(coarse.numbers?.count) ? null : coarse.numbers;
      return { ...coarse, distinct: values.distinct, numbers };
    },
    ...(reader.conversions !== undefined && {
      conversions: async (...asked: Parameters<NonNullable<ReportReader["conversions"]>>) =>
        coarsen(await reader.conversions?.(...asked) ?? []),
    }),
    countEvents: async (...asked) => coarsen(await reader.countEvents(...asked)),
    funnel: async (...asked) =>
      coarsen(await reader.funnel(...asked)).map(({ visitors, medianMs }) => ({
        visitors,
        medianMs: isFew(visitors) ? null : medianMs,
      })),
    retention: async (...asked) => coarsen(await reader.retention(...asked)),
    acceptance: async (...asked) => coarsen(await reader.acceptance(...asked)),
  };
}

/** Rounds a list, but for the number of its rows. */
function coarsenList<T extends { readonly count: number }>(list: T): T {
  return { ...coarsen(list), count: list.count };
}

/** Rounds whatever counts there are: a new one is rounded unless it is named above. */
function coarsen<T>(counts: T): T {
  return coarsenField("", counts) as T;
}

function coarsenField(name: string, value: unknown): unknown {
  if (typeof value === "number") {
    return PLAIN.includes(name) ? value : SUMS.includes(name) ? coarsenSum(value) : coarsenCount(value);
  }
  if (Array.isArray(value)) return value.map((one) => coarsenField(name, one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, one]) => [field, coarsenField(field, one)]));
}
