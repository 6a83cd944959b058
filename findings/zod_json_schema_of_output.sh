#!/usr/bin/env bash
# zod 4.6.7: the JSON Schema of toJSONSchema() refuses data that the schema itself parses.
# It describes what comes out of parse(): other keys are forbidden, though parse() only drops them, and a key that has a
# default is required. { io: "input" } describes what goes in.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error zod@4.6.7 ajv@8.20.0 >>npm.log

cat >try.mjs <<'EOF'
import Ajv from "ajv/dist/2020.js";
import { z } from "zod";

const schema = z.object({ name: z.string(), size: z.string().default("small") });
const takes = (options) => new Ajv.default().compile(z.toJSONSchema(schema, options));
for (const data of [{ name: "Sencha" }, { name: "Sencha", size: "large", color: "green" }]) {
  console.log(JSON.stringify(data), {
    zod: schema.safeParse(data).success,
    toJSONSchema: takes()(data),
    input: takes({ io: "input" })(data),
  });
}
EOF
cat >expected <<'EOF'
{"name":"Sencha"} { zod: true, toJSONSchema: false, input: true }
{"name":"Sencha","size":"large","color":"green"} { zod: true, toJSONSchema: false, input: true }
EOF
node try.mjs | tee seen
diff expected seen
