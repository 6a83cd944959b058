import type { Table } from "../../view/csv.ts";
import { addNotes } from "../../view/part_table.ts";
import type { ConsentView } from "./object.ts";

/** Builds the rows of its parts. */
export function toConsentTable(view: ConsentView): Table {
  return addNotes(toRows(view), view);
}

function toRows({ parts }: ConsentView): Table {
  const rows = parts.map(({ from, pageviews: { full, aggregate }, consentShare, ...accepted }) => [
    ...[from, full, aggregate, consentShare],
    ...[accepted.newlyConsented, accepted.arrivalsBeforeChoice, accepted.acceptance],
  ]);
  const heads = ["newlyConsented", "arrivalsBeforeChoice", "acceptance"];
  return [["from", "full", "aggregate", "consentShare", ...heads], ...rows];
}
