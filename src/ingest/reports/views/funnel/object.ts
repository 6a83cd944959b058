import type { Funnel } from "../../../ports/report_query.ts";
import { resolveStages } from "../../query/goals.ts";
import { writeStage } from "../../query/stages.ts";
import { divide } from "../../view/divide.ts";
import { readScope, toQueryOfDays, type ViewScope } from "../../view/scope.ts";
import type { ViewRequest, ViewSource } from "../../view/view.ts";
import { type FunnelQuery, toWithin } from "./query.ts";

/** A funnel: how many visitors came how far. */
export interface FunnelView extends ViewScope {
  /** Which view it is. */
  readonly view: "funnel";
  /** In which time the last stage has to follow the first. */
  readonly within: "session" | "1h" | "1d" | "7d" | "30d";
  /** Order of the stages. */
  readonly order: Funnel["order"];
  /** The stages; none where none were asked for. */
  readonly stages: readonly {
    /** Distinct visitors who came that far. */
    readonly visitors: number;
    /** Median of the time since the stage before, in milliseconds; null for the first stage, and where nobody came that far. */
    readonly medianMs: number | null;
    /** The events that pass it, written as in the query: `page:/cart|step:checkout_started`. */
    readonly stage: string;
    /** Share of those who passed the first stage, 0 to 1; null without any. */
    readonly share: number | null;
  }[];
}

/** Counts how many visitors come how far. */
export async function readFunnel(
  source: ViewSource,
  request: ViewRequest & FunnelQuery,
): Promise<FunnelView> {
  const { reader } = source;
  const { stages, within, order } = request;
  const query = toQueryOfDays(source, request);
  const counted = stages.length === 0
    ? []
    : await reader.funnel(query, { stages: resolveStages(stages, request), within: toWithin(within), order });
  return {
    view: "funnel",
    ...await readScope(source, request),
    within,
    order,
    stages: counted.map(({ visitors, medianMs }, index) => ({
      stage: writeStage(stages[index] ?? []),
      visitors,
      share: divide(visitors, counted[0]?.visitors ?? 0),
      medianMs,
    })),
  };
}
