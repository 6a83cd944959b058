#!/usr/bin/env bash
# hyparquet-writer 0.17.0, read by DuckDB 1.5.6: a column without a type that has nulls alone is a BLOB.
# The type comes from the values, so two files of one table differ: in one the column is text, in the other bytes. DuckDB
# takes the type of the first file for both: read together, the same text comes as text or as bytes, by their order.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error hyparquet-writer@0.17.0 @duckdb/node-api@1.5.6-r.1 >>npm.log

cat >try.mjs <<'EOF'
import { DuckDBInstance } from "@duckdb/node-api";
import { parquetWriteBuffer } from "hyparquet-writer";
import { writeFileSync } from "node:fs";

const write = (path, data, type) =>
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData: [{ name: "title", data, ...type && { type } }] })));
write("1.parquet", [null, null]);
write("2.parquet", ["Teas", null]);
write("typed.parquet", [null, null], "STRING");

const connection = await (await DuckDBInstance.create(":memory:")).connect();
for (const files of ["['1.parquet']", "['2.parquet']", "['typed.parquet']", "['2.parquet', '1.parquet']", "['1.parquet', '2.parquet']"]) {
  const reader = await connection.runAndReadAll(`SELECT title, typeof(title) AS type FROM read_parquet(${files})`);
  console.log(files, JSON.stringify(reader.getRowObjectsJS().map(({ title, type }) => [title, type])));
}
EOF
cat >expected <<'EOF'
['1.parquet'] [[null,"BLOB"],[null,"BLOB"]]
['2.parquet'] [["Teas","VARCHAR"],[null,"VARCHAR"]]
['typed.parquet'] [[null,"VARCHAR"],[null,"VARCHAR"]]
['2.parquet', '1.parquet'] [["Teas","VARCHAR"],[null,"VARCHAR"],[null,"VARCHAR"],[null,"VARCHAR"]]
['1.parquet', '2.parquet'] [[null,"BLOB"],[null,"BLOB"],[{"type":"Buffer","data":[84,101,97,115]},"BLOB"],[null,"BLOB"]]
EOF
node try.mjs | tee seen
diff expected seen
