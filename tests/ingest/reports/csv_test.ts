import { assertEquals } from "@std/assert";
import { formatRow } from "../../../src/ingest/reports/csv.ts";

Deno.test("formatRow() quotes what would break a row", () => {
  assertEquals(
    formatRow(["/teas", 12, null, "a,b", 'say "hi"', "two\nlines", " x"]),
    '/teas,12,,"a,b","say ""hi""","two\nlines"," x"\r\n',
  );
});

Deno.test("formatRow() keeps a spreadsheet from running text", () => {
  assertEquals(
    formatRow(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", '=HYPERLINK("https://evil.example","x")']),
    `'=1+1,'+1,'-1,'@SUM(A1),'\t=1,"'\r=1",'＝1,"'=HYPERLINK(""https://evil.example"",""x"")"\r\n`,
  );
  assertEquals(formatRow(["a=1", "/=1", -1]), "a=1,/=1,-1\r\n");
});
