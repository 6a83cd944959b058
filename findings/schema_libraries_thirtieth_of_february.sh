#!/usr/bin/env bash
# valibot 1.5.0 and arktype 2.2.9 take 2026-02-30 for an ISO date; zod 4.6.7 doesn't.
# Date makes 2 March of it. A store with a date type refuses it later, or keeps the other day.
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

for (const date of ["2026-02-28", "2026-02-30", "2026-02-32"]) {
  console.log(date, {
    zod: z.iso.date().safeParse(date).success,
    valibot: v.is(v.pipe(v.string(), v.isoDate()), date),
    arktype: type("string.date.iso").allows(date),
  });
}
EOF
cat >expected <<'EOF'
2026-02-28 { zod: true, valibot: true, arktype: true }
2026-02-30 { zod: false, valibot: true, arktype: true }
2026-02-32 { zod: false, valibot: false, arktype: false }
EOF
node try.mjs | tee seen
diff expected seen
