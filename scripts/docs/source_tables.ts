import { STORED_COLUMNS } from "../../src/ingest/events/columns.ts";
import { type Figure, FIGURES } from "../../src/ingest/events/figures.ts";
import { FILTERS } from "../../src/ingest/ports/report_filters.ts";
import { listParametersOf } from "../../src/ingest/reports/view/shared_parameters.ts";
import { VIEWS } from "../../src/ingest/reports/views/registry.ts";
import { listParameters } from "../../src/ingest/reports/views/view_query.ts";
import { buildGetReport } from "../generate/build_report_schemas.ts";
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
    { source: "src/ingest/reports/view/shared_parameters.ts, or that of a view", rows: listQuery() },
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

/** A parameter of the OpenAPI document. */
interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: { readonly enum?: readonly string[]; readonly default?: string | number };
}

/** Lists what a report is asked for, and which views it means something to. */
function listQuery(): readonly (readonly string[])[] {
  const { parameters } = buildGetReport() as unknown as { readonly parameters: readonly QueryParameter[] };
  const tellViews = (name: string): string => {
    const taking = VIEWS.filter((view) =>
      [...listParametersOf(view), ...listParameters(view.parameters).map(([, one]) => one)]
        .some((one) => one.name === name)
    );
    const others = VIEWS.filter((view) => !taking.includes(view));
    const list = (views: typeof VIEWS): string => views.map((view) => view.name).join(", ");
    if (taking.length === 0 || others.length === 0) return "all";
    return taking.length > others.length ? `all but ${list(others)}` : list(taking);
  };
  return [
    ["Query", "Means", "Values", "Default", "Views"],
    ...parameters.map(({ name, description, schema: { enum: words = [], default: usual } }) => {
      const values = words.filter((word) => word !== "");
      return [
        `\`${name}\``,
        // What programs are told behind the first sentence, the guide says below the table.
        (description.split(". ")[0] ?? "").replace(/\.$/, "").replaceAll("|", "\\|"),
        values.map((word) => `\`${word}\``).join(", "),
        usual === undefined ? "" : `\`${usual}\``,
        tellViews(name),
      ];
    }),
  ];
}

/** Lists the filters; those that choose the same stand in one row. */
function listFilters(): readonly (readonly string[])[] {
  const names = Map.groupBy(Object.entries(FILTERS), ([, { about }]) => about);
  return [...names].map(([about, filters]) => [
    filters.map(([name, { example = "" }]) => `\`${name}${example}\``).join(", "),
    about,
  ]);
}
