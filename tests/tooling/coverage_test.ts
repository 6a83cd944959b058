import { assertEquals } from "@std/assert";
import { parseLcov } from "../../scripts/checks/lcov.ts";
import { stripTypes } from "../../scripts/checks/strip_types.ts";

Deno.test("parseLcov() counts lines and lists the missed ones", () => {
  const report = "SF:/repo/src/a.ts\nDA:1,3\nDA:2,0\nDA:5,1\nLH:2\nLF:3\nend_of_record\n" +
    "SF:/repo/src/b.ts\nDA:1,1\nLH:1\nLF:1\nend_of_record\n";

  assertEquals(parseLcov(report), [
    { path: "/repo/src/a.ts", lines: 3, hits: 2, missed: [2] },
    { path: "/repo/src/b.ts", lines: 1, hits: 1, missed: [] },
  ]);
});

Deno.test("stripTypes() leaves nothing of a module of types, and the code of any other", () => {
  assertEquals(stripTypes(`/** A. */\nexport interface A { readonly b: string }\nexport type C = A;`), "");
  assertEquals(stripTypes(`import type { A } from "./a.ts";\nexport const b: A = 1;`).includes("const b = 1"), true);
});
