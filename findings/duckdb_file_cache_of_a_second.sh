#!/usr/bin/env bash
# DuckDB 1.5.6 (@duckdb/node-api) tells a Parquet file from the one that was in its place by its size and the second of its
# time. A file of the same size that is put there within the second is read as the one before, by the same process, however
# often it's asked. Without `enable_external_file_cache` it reads what is there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error @duckdb/node-api@1.5.6-r.1 >>npm.log

cat >try.mjs <<'EOF'
import { DuckDBInstance } from "@duckdb/node-api";
import { copyFileSync, utimesSync } from "node:fs";

const SECOND = 1_700_000_000;
for (const cache of ["true", "false"]) {
  for (const later of [0.5, 1]) {
    const connection = await (await DuckDBInstance.create(":memory:", { enable_external_file_cache: cache })).connect();
    const seen = [];
    for (const [n, time] of [[1, SECOND], [2, SECOND + later]]) {
      await connection.run(`COPY (SELECT ${n} AS n) TO '${n}.parquet'`);
      copyFileSync(`${n}.parquet`, "events.parquet");
      utimesSync("events.parquet", time, time);
      const answer = await connection.runAndReadAll("SELECT max(n) FROM 'events.parquet'");
      seen.push(Number(answer.getRows()[0][0]));
    }
    console.log(`cache ${cache}, ${later} s later: ${seen.join(", then ")}`);
  }
}
EOF
cat >expected <<'EOF'
cache true, 0.5 s later: 1, then 1
cache true, 1 s later: 1, then 2
cache false, 0.5 s later: 1, then 2
cache false, 1 s later: 1, then 2
EOF
npx --yes node@22.23.3 try.mjs | tee seen
diff expected seen
