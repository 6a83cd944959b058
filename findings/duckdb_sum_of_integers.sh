#!/usr/bin/env bash
# DuckDB 1.5.6 (@duckdb/node-api 1.5.6-r.1): sum() of whole numbers is a HUGEINT, also of INTEGER.
# It comes to JavaScript as a bigint. Parquet has no such type: COPY writes it as DOUBLE, without a word, and what is
# over 2^53 is another number when it's read again. A cast to BIGINT keeps it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error @duckdb/node-api@1.5.6-r.1 >>npm.log

cat >try.mjs <<'EOF'
import { DuckDBInstance } from "@duckdb/node-api";

const connection = await (await DuckDBInstance.create(":memory:")).connect();
const rowsOf = async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJS();

console.log("of INTEGER:", await rowsOf("SELECT typeof(sum(x)) AS type, sum(x) AS total FROM (VALUES (1::INTEGER), (2)) t(x)"));
const total = "SELECT sum(x) AS total FROM (VALUES (9007199254740992::BIGINT), (1)) t(x)";
console.log("asked:", await rowsOf(total));
await connection.run(`COPY (${total}) TO 'sum.parquet' (FORMAT parquet)`);
console.log("from Parquet:", await rowsOf("SELECT typeof(total) AS type, total FROM 'sum.parquet'"));
await connection.run(`COPY (SELECT total::BIGINT AS total FROM (${total})) TO 'cast.parquet' (FORMAT parquet)`);
console.log("cast, from Parquet:", await rowsOf("SELECT typeof(total) AS type, total FROM 'cast.parquet'"));
EOF
cat >expected <<'EOF'
of INTEGER: [ { type: 'HUGEINT', total: 3n } ]
asked: [ { total: 9007199254740993n } ]
from Parquet: [ { type: 'DOUBLE', total: 9007199254740992 } ]
cast, from Parquet: [ { type: 'BIGINT', total: 9007199254740993n } ]
EOF
node try.mjs | tee seen
diff expected seen
