#!/usr/bin/env bash
# happy-dom 21.0.4: a Response that a script made has the type "basic".
# Fetch says "default" of it, as browsers and Node do; "basic" is for what came from the own origin. Code that tells a
# made-up answer from a real one by its type can't be tested there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error happy-dom@21.0.4 >>npm.log

cat >try.mjs <<'EOF'
import { Window } from "happy-dom";

const window = new Window({ url: "https://shop.example/" });
console.log("happy-dom:", new window.Response("text").type);
console.log("Node:", new Response("text").type);
await window.happyDOM.close();
EOF
cat >expected <<'EOF'
happy-dom: basic
Node: default
EOF
node try.mjs | tee seen
diff expected seen
