#!/usr/bin/env bash
# DuckDB 1.5.6 (@duckdb/node-api 1.5.6-r.1): whether a TIMESTAMP equals a TIMESTAMPTZ depends on TZ of the process.
# The comparison reads the TIMESTAMP as a local time of the session's zone, which is that of the process unless it's set.
# The same query over the same file counts other rows on another machine.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error @duckdb/node-api@1.5.6-r.1 >>npm.log

cat >try.mjs <<'EOF'
import { DuckDBInstance } from "@duckdb/node-api";

const connection = await (await DuckDBInstance.create(":memory:")).connect();
const reader = await connection.runAndReadAll(
  "SELECT TIMESTAMP '2026-01-01 00:00:00' = TIMESTAMPTZ '2026-01-01 00:00:00+00' AS equal",
);
console.log(process.env.TZ, reader.getRowObjectsJS());
EOF
cat >expected <<'EOF'
UTC [ { equal: true } ]
America/New_York [ { equal: false } ]
EOF
{ TZ=UTC node try.mjs; TZ=America/New_York node try.mjs; } | tee seen
diff expected seen
