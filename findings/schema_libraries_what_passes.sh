#!/usr/bin/env bash
# valibot 1.5.0 and arktype 2.2.9 take a list for an object, Infinity for a number and 2026-02-30 for a date.
# zod 4.6.7 refuses all three; none takes NaN or 2026-02-32. JSON makes null of Infinity, Date makes 2 March of the date,
# so data that pass the check in a page may fail, or differ, where they are stored.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error valibot@1.5.0 zod@4.6.7 arktype@2.2.9 >>npm.log

cat >try.mjs <<'EOF'
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";

const kinds = {
  object: [z.object({ size: z.number().optional() }), v.object({ size: v.optional(v.number()) }), type({ "size?": "number" })],
  record: [z.record(z.string(), z.unknown()), v.record(v.string(), v.unknown()), type({ "[string]": "unknown" })],
  number: [z.number(), v.number(), type("number")],
  date: [z.iso.date(), v.pipe(v.string(), v.isoDate()), type("string.date.iso")],
};
const values = { object: [{}, ["tea"]], record: [{}, ["tea"]], number: [1, Infinity, NaN], date: ["2026-02-28", "2026-02-30", "2026-02-32"] };
for (const [kind, [ofZod, ofValibot, ofArktype]] of Object.entries(kinds)) {
  for (const value of values[kind]) {
    console.log(kind, value, { zod: ofZod.safeParse(value).success, valibot: v.is(ofValibot, value), arktype: ofArktype.allows(value) });
  }
}
console.log(JSON.stringify([Infinity]), new Date("2026-02-30").toISOString());
EOF
cat >expected <<'EOF'
object {} { zod: true, valibot: true, arktype: true }
object [ 'tea' ] { zod: false, valibot: true, arktype: true }
record {} { zod: true, valibot: true, arktype: true }
record [ 'tea' ] { zod: false, valibot: true, arktype: true }
number 1 { zod: true, valibot: true, arktype: true }
number Infinity { zod: false, valibot: true, arktype: true }
number NaN { zod: false, valibot: false, arktype: false }
date 2026-02-28 { zod: true, valibot: true, arktype: true }
date 2026-02-30 { zod: false, valibot: true, arktype: true }
date 2026-02-32 { zod: false, valibot: false, arktype: false }
[null] 2026-03-02T00:00:00.000Z
EOF
node try.mjs | tee seen
diff expected seen
