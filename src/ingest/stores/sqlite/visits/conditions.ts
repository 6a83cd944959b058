import { toPathExpression } from "../../../events/path_rules.ts";
import {
  type FilterName,
  type FunnelEvent,
  type ReportFilter,
  type ReportQuery,
  SCREEN_CLASSES,
  SOURCE_DIMENSIONS,
  type SourceDimension,
} from "../../../ports/reader.ts";
import { VALUE_KINDS } from "../sqlite_facts_schema.ts";
import type { Paths } from "./paths.ts";
import { findTexts, IS_STEP, quote } from "./select.ts";
import { SOURCE_OF_VISIT, type SourceLabels } from "./source_labels.ts";

/** Builds the conditions of filters. */
export interface Conditions {
  /** Builds the condition of a fact `f`. */
  buildEventCondition(filter: ReportFilter): string;
  /** Builds the condition of a visit `v`. */
  buildVisitCondition(filter: ReportFilter): string;
}

/** What conditions are built with. */
export interface ConditionsOptions {
  readonly query: ReportQuery;
  readonly paths: Paths;
  readonly labels: SourceLabels;
}

/** Creates what builds the conditions of filters. */
export function createConditions({ query, paths, labels }: ConditionsOptions): Conditions {
  const isPage = (path: string, { values, patterns = [] }: ReportFilter): string => {
    const expressions = patterns.map((pattern) => toPathExpression(pattern, query.pathRules));
    const fits = (text: string): boolean => expressions.some((expression) => expression.test(text));
    return `(${path} IN ${paths.find(values)} OR ${path} IN ${paths.findBy(fits)})`;
  };
  return {
    buildEventCondition(filter) {
      const { name, values } = filter;
      if (name === "page") return isPage("f.path", filter);
      if (name === "screen") {
        const classes: readonly string[] = SCREEN_CLASSES;
        return `f.screen IN (${values.map((value) => classes.indexOf(value) + 1).filter((id) => id > 0).join(", ")})`;
      }
      const answers = [
        ...(values.includes("yes") ? ["f.user IS NOT NULL"] : []),
        ...(values.includes("no") ? ["(f.user IS NULL AND f.kind <> 0)"] : []),
      ];
      return `(${answers.join(" OR ") || "false"})`;
    },
    buildVisitCondition(filter) {
      const { name, values, key = "", step, events = [] } = filter;
      if (name === "entry") return `v.is_landing = 1 AND ${isPage("v.entry", filter)}`;
      if (name === "exit") return isPage("v.exit", filter);
      if (isDimension(name)) {
        const ofLabels = `SELECT id FROM ${labels(name)} WHERE label IN (${values.map(quote).join(", ")})`;
        return `${SOURCE_OF_VISIT} IN (${ofLabels})`;
      }
      if (name === "step") {
        return `EXISTS (
          SELECT 1 FROM facts AS f WHERE f.visit = v.id AND ${IS_STEP} AND f.name IN ${findTexts(values)}
        )`;
      }
      if (name === "goal") {
        const isReached = events.map((event) => buildPoint(event, { query, paths })).join(" OR ") || "false";
        return `EXISTS (SELECT 1 FROM facts AS f WHERE f.visit = v.id AND (${isReached}))`;
      }
      return `EXISTS (
        SELECT 1 FROM facts AS f JOIN fact_properties AS p ON p.seq = f.seq
        WHERE f.visit = v.id AND ${IS_STEP} ${step === undefined ? "" : `AND f.name IN ${findTexts([step])}`}
          AND p.key IN ${findTexts([key])} AND (${values.map(buildValueCondition).join(" OR ") || "false"})
      )`;
    },
  };
}

/** Builds the condition of a fact `f` that passes a stage of a funnel, or reaches a goal. */
export function buildPoint(event: FunnelEvent, { query, paths }: Omit<ConditionsOptions, "labels">): string {
  if ("page" in event) return `(f.kind = 1 AND f.path IN ${paths.find([event.page])})`;
  if ("pages" in event) {
    const expression = toPathExpression(event.pages, query.pathRules);
    return `(f.kind = 1 AND f.path IN ${paths.findBy((path) => expression.test(path))})`;
  }
  const isNamed = `${IS_STEP} AND f.name IN ${findTexts([event.step])}`;
  if (event.property === undefined) return `(${isNamed})`;
  return `(${isNamed} AND EXISTS (
    SELECT 1 FROM fact_properties AS p WHERE p.seq = f.seq AND p.key IN ${findTexts([event.property.key])}
      AND ${buildValueCondition(event.property.value)}
  ))`;
}

function buildValueCondition(json: string): string {
  const value = parseScalar(json);
  if (value === undefined) return "false";
  if (typeof value === "string") return `(p.kind = ${VALUE_KINDS.text} AND p.value IN ${findTexts([value])})`;
  if (typeof value === "number") return `(p.kind = ${VALUE_KINDS.number} AND p.value = ${JSON.stringify(value)})`;
  if (value === null) return `p.kind = ${VALUE_KINDS.null}`;
  return `(p.kind = ${VALUE_KINDS.boolean} AND p.value = ${Number(value)})`;
}

function parseScalar(json: string): string | number | boolean | null | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return value === null || ["string", "number", "boolean"].includes(typeof value) ? value as string : undefined;
  } catch {
    return undefined;
  }
}

function isDimension(name: FilterName): name is SourceDimension {
  return (SOURCE_DIMENSIONS as readonly string[]).includes(name);
}
