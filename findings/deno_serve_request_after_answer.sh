#!/usr/bin/env bash
# Deno 2.9.6: the headers of a Request of Deno.serve() can't be read once it's answered, if they weren't before.
# The handler answers and leaves the rest to a task of its own, as other servers allow; there the read throws.
# Code that needs a header later has to copy it while the handler runs.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error deno@2.9.6 >>npm.log

cat >try.mjs <<'EOF'
const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
  const early = new URL(request.url).searchParams.has("early");
  if (early) request.headers.get("x-page");
  setTimeout(() => {
    try {
      console.log("later:", request.headers.get("x-page"));
    } catch (error) {
      console.log("later:", error.name, error.message);
    }
  }, 100);
  return new Response();
});
for (const query of ["", "?early"]) {
  await (await fetch(`http://127.0.0.1:${server.addr.port}/${query}`, { headers: { "x-page": "teas" } })).text();
  await new Promise((resolve) => setTimeout(resolve, 300));
}
await server.shutdown();
EOF
cat >expected <<'EOF'
later: TypeError Request closed
later: teas
EOF
npx deno run --allow-net try.mjs | tee seen
diff expected seen
