#!/usr/bin/env bash
# terser 5.51.2 takes the parentheses around a function away; esbuild 0.28.2 and rolldown 1.3.3 keep them, minified too.
# Parentheses tell V8 to compile the function with its file, not at its first call. So the hint reaches the page or not by
# which minifier its application uses.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error terser@5.51.2 esbuild@0.28.2 rolldown@1.3.3 >>npm.log

cat >try.mjs <<'EOF'
import * as esbuild from "esbuild";
import { writeFileSync } from "node:fs";
import { rolldown } from "rolldown";
import { minify } from "terser";

const code = "export const make = (function () { return Date.now(); });";
writeFileSync("entry.js", code);
const bundle = await rolldown({ input: "entry.js" });
console.log("terser:", (await minify(code, { module: true })).code);
console.log("esbuild:", (await esbuild.transform(code, { minify: true })).code.trim());
console.log("rolldown:", (await bundle.generate({ minify: true })).output[0].code.trim());
EOF
cat >expected <<'EOF'
terser: export const make=function(){return Date.now()};
esbuild: export const make=(function(){return Date.now()});
rolldown: const e=(function(){return Date.now()});export{e as make};
EOF
npx --yes node@22.23.3 try.mjs | tee seen
diff expected seen
