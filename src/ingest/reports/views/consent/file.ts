import { type Cell, type Table, TOTAL, VIEW_HEADS } from "../../view/csv.ts";
import { addNotes } from "../../view/part_table.ts";
import type { ConsentView } from "./object.ts";

/** Builds the rows of its parts, and one of all of them. */
export function toConsentTable(view: ConsentView): Table {
  return addNotes(toRows(view), view);
}

function toRows({ parts, current }: ConsentView): Table {
  const toCells = ({ pageviews: { full, aggregate }, consentShare, ...accepted }: Counts): readonly Cell[] => [
    ...[full, aggregate, consentShare],
    ...[accepted.newlyConsented, accepted.arrivalsBeforeChoice, accepted.acceptance],
  ];
  return [
    ["From", ...VIEW_HEADS, "With consent", "Newly consented", "Arrivals before a choice", "Acceptance"],
    ...parts.map((part) => [part.from, ...toCells(part)]),
    [TOTAL, ...toCells(current)],
  ];
}

/** What a part has, and all of them together. */
type Counts = Omit<ConsentView["parts"][number], "from">;
