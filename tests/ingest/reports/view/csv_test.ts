import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { formatRow } from "../../../../src/ingest/reports/view/csv.ts";

/** What a spreadsheet takes for a formula; it may skip what comes before. */
const FORMULA = /^[\s\p{C}]*[=+\-@＝＋－＠]/u;

/** Reads cells as spreadsheets do: a quote counts at the start of a cell alone, and what follows its end is kept. */
function readCells(text: string, separator: string): readonly string[] {
  const cells: string[] = [];
  let cell = "";
  let state: "start" | "plain" | "quoted" | "quote" = "start";
  for (const character of text) {
    if (state === "quoted") {
      if (character === '"') state = "quote";
      else cell += character;
    } else if (state === "quote" && character === '"') {
      cell += character;
      state = "quoted";
    } else if (character === separator || character === "\n") {
      cells.push(cell);
      cell = "";
      state = "start";
    } else if (state === "start" && character === '"') {
      state = "quoted";
    } else {
      cell += character;
      state = "plain";
    }
  }
  return cells;
}

Deno.test("formatRow() quotes every text", () => {
  assertEquals(
    formatRow(["/teas", 12, null, "a,b", 'say "hi"', "two\nlines", " x"]),
    '"/teas",12,,"a,b","say ""hi""","two\nlines"," x"\r\n',
  );
});

Deno.test("formatRow() keeps a spreadsheet from running text", () => {
  assertEquals(
    formatRow(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", '=HYPERLINK("https://evil.example","x")']),
    `"'=1+1","'+1","'-1","'@SUM(A1)","\t'=1","\r'=1","'＝1","'=HYPERLINK(""https://evil.example"",""x"")"\r\n`,
  );
  assertEquals(
    formatRow([" =1", "\u00a0+1", "\ufeff\u200b-1", "a; @x"]),
    `" '=1","\u00a0'+1","\ufeff\u200b'-1","a; '@x"\r\n`,
  );
  assertEquals(formatRow(["a =1", "a=1", "/=1", "/;jsessionid=1", -1]), '"a =1","a=1","/=1","/;jsessionid=1",-1\r\n');
});

Deno.test("formatRow() looks through a long text of blanks once", () => {
  const blanks = " ".repeat(1_000_000);
  const startMs = performance.now();

  assertEquals(formatRow([`${blanks}=1`]), `"${blanks}'=1"\r\n`);
  // Looked through from each blank, it takes minutes.
  assertEquals(performance.now() - startMs < 5000, true);
});

Deno.test("formatRow() makes no formula wherever the spreadsheet splits a row", () => {
  const hostile = fc.string({ unit: fc.constantFrom(..."=+-@＝\t\r\n;,\"' a\u00a0\u200b") });
  const row = fc.tuple(hostile, fc.nat(), hostile);

  fc.assert(
    fc.property(row, row, fc.constantFrom(",", ";", "\t"), (one, other, separator) => {
      const cells = readCells(formatRow(one) + formatRow(other), separator);
      assertEquals(cells.filter((cell) => FORMULA.test(cell)), []);
    }),
    { examples: [[["2026-03-01", 1, "/;=1+1;"], [";=cmd|' /C calc'!A0;", 1, 'x;"=1+1'], ";"]] },
  );
});
