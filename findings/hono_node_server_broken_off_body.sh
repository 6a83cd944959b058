#!/usr/bin/env bash
# @hono/node-server 2.1.8: text() of a request whose sender went away rejects with a plain Error, "aborted", ECONNRESET.
# It's the error of Node's stream, not an AbortError, and no TypeError as fetch has them, so a check of its name misses it.
# The request's signal is aborted then.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error @hono/node-server@2.1.8 hono@4.13.19 >>npm.log

cat >try.mjs <<'EOF'
import { serve } from "@hono/node-server";
import { connect } from "node:net";

const fetch = async (request) => {
  try {
    await request.text();
  } catch (error) {
    console.log({ name: error.name, code: error.code, message: error.message, aborted: request.signal.aborted });
  }
  server.close();
  return new Response();
};
const server = serve({ port: 0, hostname: "127.0.0.1", fetch }, ({ port }) => {
  const socket = connect(port, "127.0.0.1", () => {
    socket.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc");
    setTimeout(() => socket.destroy(), 200);
  });
});
EOF
cat >expected <<'EOF'
{
  name: 'Error',
  code: 'ECONNRESET',
  message: 'aborted',
  aborted: true
}
EOF
node try.mjs | tee seen
diff expected seen
