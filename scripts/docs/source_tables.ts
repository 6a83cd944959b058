import { STORED_COLUMNS } from "../../src/ingest/events/columns.ts";
import { type Figure, FIGURES } from "../../src/ingest/events/figures.ts";
import { FILTERS } from "../../src/ingest/ports/report_filters.ts";
import { buildTable } from "./table.ts";

/** A table of a guide that is made of the sources. */
interface SourceTable {
  /** The source that a comment before the table names. */
  readonly source: string;
  readonly rows: readonly (readonly string[])[];
}

/** The tables of each guide. */
const TABLES: Readonly<Record<string, readonly SourceTable[]>> = {
  "docs/reports.md": [
    { source: "src/ingest/ports/report_filters.ts", rows: [["Filter", "Chooses"], ...listFilters()] },
    {
      source: "src/ingest/events/figures.ts",
      rows: [
        ["Figure", "What it is"],
        ...listFigures().map(({ title, sentence, more }) => [
          title,
          more === undefined ? sentence : `${sentence} ${more}`,
        ]),
      ],
    },
  ],
  "docs/sql.md": [{
    source: "src/ingest/events/figures.ts",
    rows: [
      ["Figure", "What it is", "SQL"],
      ...listFigures().flatMap(({ title, sentence, sql }) =>
        sql === undefined ? [] : [[title, sentence, `\`${sql}\``]]
      ),
    ],
  }],
  "docs/clickhouse.md": [{
    source: "src/ingest/events/columns.ts",
    rows: [["Column", "What it holds"], ...STORED_COLUMNS.map(({ name, about }) => [`\`${name}\``, about])],
  }],
};

/** Returns a guide's text with the tables of today in it. */
export function updateSourceTables(path: string, markdown: string): string {
  return (TABLES[path] ?? []).reduce((text, { source, rows }) => {
    const comment = `<!-- \`deno task generate\` writes this table: change ${source} -->\n\n`;
    const start = text.indexOf(comment) + comment.length;
    const [table] = /^(?:\|.*\n)+/.exec(text.slice(start)) ?? [];
    if (start < comment.length || table === undefined) throw new Error(`${path} has no table of ${source}`);
    return text.slice(0, start) + buildTable(rows) + text.slice(start + table.length);
  }, markdown);
}

function listFigures(): readonly Figure[] {
  return Object.values(FIGURES);
}

/** Lists the filters; those that choose the same stand in one row. */
function listFilters(): readonly (readonly string[])[] {
  const names = Map.groupBy(Object.entries(FILTERS), ([, { about }]) => about);
  return [...names].map(([about, filters]) => [
    filters.map(([name, { example = "" }]) => `\`${name}${example}\``).join(", "),
    about,
  ]);
}
