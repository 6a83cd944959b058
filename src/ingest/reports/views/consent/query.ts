import { listParametersWith, type ListQuery } from "../../query/list_query.ts";
import type { ParametersOf } from "../../query/parameter.ts";

/** The query of consent: how both of its lists are sorted. */
export type ConsentQuery = Pick<ListQuery, "sort" | "direction">;

/** Column that its lists are sorted by. */
export type ConsentColumn = "label" | "views" | "consentShare";

/** Each {@linkcode ConsentColumn}. */
export const CONSENT_COLUMNS: readonly ConsentColumn[] = ["label", "views", "consentShare"];

const { sort, direction } = listParametersWith(CONSENT_COLUMNS);

/** The parameters of consent. */
export const CONSENT_PARAMETERS: ParametersOf<ConsentQuery> = { sort, direction };
