#!/usr/bin/env bash
# isbot 5.2.3 takes an application for a crawler by a part of its own name, such as "QRScanner" or "FeedReader", and by its
# library: Android's okhttp is a bot, Dalvik isn't, and neither is an empty agent. Agents of applications tell nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error isbot@5.2.3 >>npm.log

cat >try.mjs <<'EOF'
import { isbot } from "isbot";

const agents = [
  "Shop/1.0 CFNetwork/1410.0.3 Darwin/22.6.0",
  "QRScanner/1.0 CFNetwork/1410.0.3 Darwin/22.6.0",
  "FeedReader/2.1 CFNetwork/1410.0.3 Darwin/22.6.0",
  "Shop/1.0 (com.shop; build:1; iOS 17.0.0) Alamofire/5.6",
  "okhttp/4.9",
  "Dalvik/2.1.0 (Linux; U; Android 9)",
  "Mozilla/5.0",
  "",
];
for (const agent of agents) console.log(isbot(agent), JSON.stringify(agent));
EOF
cat >expected <<'EOF'
false "Shop/1.0 CFNetwork/1410.0.3 Darwin/22.6.0"
true "QRScanner/1.0 CFNetwork/1410.0.3 Darwin/22.6.0"
true "FeedReader/2.1 CFNetwork/1410.0.3 Darwin/22.6.0"
false "Shop/1.0 (com.shop; build:1; iOS 17.0.0) Alamofire/5.6"
true "okhttp/4.9"
false "Dalvik/2.1.0 (Linux; U; Android 9)"
true "Mozilla/5.0"
false ""
EOF
node try.mjs | tee seen
diff expected seen
