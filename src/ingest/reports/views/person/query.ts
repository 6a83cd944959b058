import { OFFSET } from "../../query/list_query.ts";
import type { ParametersOf } from "../../query/parameter.ts";

/** The query of one person. */
export interface PersonQuery {
  /** Number of their newest events that is passed over. */
  readonly offset: number;
}

/** The parameters of one person. */
export const PERSON_PARAMETERS: ParametersOf<PersonQuery> = { offset: OFFSET };
