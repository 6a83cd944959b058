#!/usr/bin/env bash
# eslint-plugin-compat 7.0.2 sees names, not types: [].at() is reported, list.at() isn't, nor is AbortSignal.timeout().
# Chrome 80 has none of the five. What the plugin lets pass still has to be tried in the oldest browser.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error eslint@10.15.0 eslint-plugin-compat@7.0.2 >>npm.log

cat >try.mjs <<'EOF'
import { ESLint } from "eslint";
import compat from "eslint-plugin-compat";

const recommended = compat.configs["flat/recommended"];
const eslint = new ESLint({
  overrideConfigFile: true,
  overrideConfig: [{ ...recommended, settings: { browsers: ["chrome 80"] } }],
});
for (const code of ["[1].at(-1);", "structuredClone({});", "list.at(-1);", "list.findLast(Boolean);", "AbortSignal.timeout(1);"]) {
  const [{ messages }] = await eslint.lintText(`${code}\n`);
  console.log(code, messages.length > 0 ? "reported" : "passes");
}
EOF
cat >expected <<'EOF'
[1].at(-1); reported
structuredClone({}); reported
list.at(-1); passes
list.findLast(Boolean); passes
AbortSignal.timeout(1); passes
EOF
node try.mjs | tee seen
diff expected seen
