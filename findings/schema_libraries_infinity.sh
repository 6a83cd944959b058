#!/usr/bin/env bash
# valibot 1.5.0 and arktype 2.2.9 take Infinity for a number; zod 4.6.7 doesn't. None of them takes NaN.
# JSON.stringify() makes null of Infinity, so what passed the check in the page is refused, as null, where it arrives.
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

for (const value of [1, Infinity, NaN]) {
  console.log(value, {
    zod: z.number().safeParse(value).success,
    valibot: v.is(v.number(), value),
    arktype: type("number").allows(value),
  });
}
EOF
cat >expected <<'EOF'
1 { zod: true, valibot: true, arktype: true }
Infinity { zod: false, valibot: true, arktype: true }
NaN { zod: false, valibot: false, arktype: false }
EOF
node try.mjs | tee seen
diff expected seen
