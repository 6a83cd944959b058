#!/usr/bin/env bash
# hyparquet-writer 0.17.0: a column of whole numbers without a type becomes INT32, and a value over 2^31 is an error.
# A column of amounts or of milliseconds works until the first large value. With one fraction in it the same column is
# DOUBLE and takes them all. INT64 takes bigints alone, so numbers need the type DOUBLE, or a conversion.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error hyparquet@1.31.5 hyparquet-writer@0.17.0 >>npm.log

cat >try.mjs <<'EOF'
import { parquetMetadata } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";

function attempt(label, column) {
  try {
    const { schema } = parquetMetadata(parquetWriteBuffer({ columnData: [{ name: "amount", ...column }] }));
    console.log(label, schema[1].type);
  } catch (error) {
    console.log(label, error.message);
  }
}

attempt("small:", { data: [1, 2] });
attempt("large:", { data: [1, 3_000_000_000] });
attempt("large, and a fraction:", { data: [1.5, 3_000_000_000] });
attempt("INT64:", { data: [1, 3_000_000_000], type: "INT64" });
attempt("DOUBLE:", { data: [1, 3_000_000_000], type: "DOUBLE" });
EOF
cat >expected <<'EOF'
small: INT32
large: parquet expected int32 value, got 3000000000
large, and a fraction: DOUBLE
INT64: parquet expected bigint value, got 1
DOUBLE: DOUBLE
EOF
node try.mjs | tee seen
diff expected seen
