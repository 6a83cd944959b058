#!/usr/bin/env bash
# ajv 8.20.0 says that 4.35 is no multiple of 0.01; @cfworker/json-schema 4.1.6 and @exodus/schemasafe 1.3.0 say it is.
# So says zod 4.6.7, and valibot 1.5.0 says it isn't. ajv and valibot divide binary fractions. Amounts in euros that one
# side of a contract takes are refused by the other; in whole cents all agree.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error ajv@8.20.0 @cfworker/json-schema@4.1.6 @exodus/schemasafe@1.3.0 zod@4.6.7 valibot@1.5.0 >>npm.log

cat >try.mjs <<'EOF'
import { Validator } from "@cfworker/json-schema";
import schemasafe from "@exodus/schemasafe";
import Ajv from "ajv";
import * as v from "valibot";
import { z } from "zod";

const schema = { type: "number", multipleOf: 0.01 };
const cents = { type: "number", multipleOf: 1 };
console.log("ajv:", new Ajv().validate(schema, 4.35), new Ajv().validate(cents, 435));
console.log("@cfworker/json-schema:", new Validator(schema).validate(4.35).valid, new Validator(cents).validate(435).valid);
console.log("@exodus/schemasafe:", schemasafe.validator(schema)(4.35), schemasafe.validator(cents)(435));
console.log("zod:", z.number().multipleOf(0.01).safeParse(4.35).success, z.number().multipleOf(1).safeParse(435).success);
console.log("valibot:", v.is(v.pipe(v.number(), v.multipleOf(0.01)), 4.35), v.is(v.pipe(v.number(), v.multipleOf(1)), 435));
EOF
cat >expected <<'EOF'
ajv: false true
@cfworker/json-schema: true true
@exodus/schemasafe: true true
zod: true true
valibot: false true
EOF
node try.mjs | tee seen
diff expected seen
