#!/usr/bin/env bash
# Deno 2.9.6: iterate() of node:sqlite takes an error for the end of the rows; Node 22.23.3 throws it.
# A query that fails at its third row gives two, and the loop ends as if there were no more. all() throws on both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error deno@2.9.6 node@22.23.3 >>npm.log

cat >try.mjs <<'EOF'
import { DatabaseSync } from "node:sqlite";

const database = new DatabaseSync(":memory:");
database.exec("CREATE TABLE texts (text); INSERT INTO texts VALUES ('1'), ('2'), ('no JSON'), ('4')");
const statement = database.prepare("SELECT json(text) AS value FROM texts");
const attempt = (rows) => {
  const values = [];
  try {
    for (const { value } of rows()) values.push(value);
    return `${values}, then the end`;
  } catch (error) {
    return `${values}, then ${error.message}`;
  }
};
console.log(globalThis.Deno ? "Deno" : "Node", "iterate():", attempt(() => statement.iterate()));
console.log(globalThis.Deno ? "Deno" : "Node", "all():", attempt(() => statement.all()));
EOF
cat >expected <<'EOF'
Node iterate(): 1,2, then malformed JSON
Node all(): , then malformed JSON
Deno iterate(): 1,2, then the end
Deno all(): , then malformed JSON
EOF
{ npx node --no-warnings try.mjs; npx deno run --allow-all try.mjs; } | tee seen
diff expected seen
