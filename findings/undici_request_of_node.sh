#!/usr/bin/env bash
# undici 7.16.0 and node-fetch 3.3.2 on Node: their fetch() doesn't take the global Request.
# Node's own fetch is undici, but another copy of it: a Request of the one is an unknown object to the other, which reads
# it as a URL. A library that is handed a fetch has to call it with a URL and options.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error undici@7.16.0 node-fetch@3.3.2 >>npm.log

cat >try.mjs <<'EOF'
import nodeFetch from "node-fetch";
import { createServer } from "node:http";
import { fetch as undiciFetch } from "undici";

const server = createServer((request, response) => {
  request.resume();
  response.end(request.method);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${server.address().port}/`;
for (const [name, call] of Object.entries({ global: fetch, undici: undiciFetch, "node-fetch": nodeFetch })) {
  const ask = async (...args) => {
    try {
      return await (await call(...args)).text();
    } catch (error) {
      return `${error.name}: ${error.message}`;
    }
  };
  console.log(name, "|", await ask(new Request(url, { method: "POST" })), "|", await ask(url, { method: "POST" }));
}
server.close();
server.closeAllConnections();
EOF
cat >expected <<'EOF'
global | POST | POST
undici | TypeError: Failed to parse URL from [object Request] | POST
node-fetch | TypeError: Invalid URL | POST
EOF
node try.mjs | tee seen
diff expected seen
