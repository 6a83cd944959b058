import { assertEquals } from "@std/assert";
import { countTests } from "../../scripts/junit.ts";

const REPORT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="6" failures="2" errors="0" time="0.032">
    <testsuite name="./tests/a_test.ts" tests="5" disabled="1" errors="0" failures="2">
        <testcase name="a" classname="./tests/a_test.ts" time="0.002" line="1" col="6">
            <failure message="1 test step failed">1 test step failed.</failure>
        </testcase>
        <testcase name="b" classname="./tests/a_test.ts" time="0.000" line="2" col="11">
            <skipped/>
        </testcase>
        <testcase name="c &gt; d" classname="./tests/a_test.ts" time="0.000" line="3" col="6">
        </testcase>
        <testcase name="a &gt; s1" classname="./tests/a_test.ts" time="0.000" line="1" col="39">
        </testcase>
        <testcase name="a &gt; s2" classname="./tests/a_test.ts" time="0.001" line="1" col="69">
            <failure message="Uncaught">Error: x</failure>
        </testcase>
    </testsuite>
    <testsuite name="./tests/b_test.ts" tests="1" disabled="0" errors="0" failures="0">
        <testcase name="a" classname="./tests/b_test.ts" time="0.002" line="1" col="6">
        </testcase>
    </testsuite>
</testsuites>`;

Deno.test("countTests() counts tests by outcome and takes their steps for part of them", () => {
  assertEquals(countTests(REPORT), { passed: 2, failed: 1, skipped: 1 });
});

Deno.test("countTests() finds nothing in an empty report", () => {
  assertEquals(countTests(`<testsuites name="deno test" tests="0"></testsuites>`), {
    passed: 0,
    failed: 0,
    skipped: 0,
  });
});
