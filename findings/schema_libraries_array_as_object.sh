#!/usr/bin/env bash
# valibot 1.5.0 and arktype 2.2.9: an array passes for an object, with object() and with record(); zod 4.6.7 refuses it.
# Data whose "properties" are a list pass the check, and fail where an object is stored.
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

const list = ["tea"];
console.log("object:", {
  zod: z.object({ size: z.number().optional() }).safeParse(list).success,
  valibot: v.is(v.object({ size: v.optional(v.number()) }), list),
  arktype: type({ "size?": "number" }).allows(list),
});
console.log("record:", {
  zod: z.record(z.string(), z.unknown()).safeParse(list).success,
  valibot: v.is(v.record(v.string(), v.unknown()), list),
  arktype: type({ "[string]": "unknown" }).allows(list),
});
EOF
cat >expected <<'EOF'
object: { zod: false, valibot: true, arktype: true }
record: { zod: false, valibot: true, arktype: true }
EOF
node try.mjs | tee seen
diff expected seen
