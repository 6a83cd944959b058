#!/usr/bin/env bash
# @iabtcf/cmpapi 1.5.6: "tcloaded" may come with an empty TC string and no purpose, where GDPR applies.
# A platform that calls update("", false), since it will ask later, reports the same status as for a saved choice.
# Code that reads the purposes, and not the string, takes a visitor who wasn't asked for one who declined.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error @iabtcf/cmpapi@1.5.6 @iabtcf/core@1.5.6 happy-dom@21.0.4 >>npm.log

cat >try.mjs <<'EOF'
import { Window } from "happy-dom";

globalThis.window = new Window({ url: "https://shop.example/" });
globalThis.document = window.document;
const { CmpApi } = await import("@iabtcf/cmpapi");
const api = new CmpApi(300, 1, true);
window.__tcfapi("addEventListener", 2, ({ eventStatus, gdprApplies, tcString, purpose }) => {
  console.log(JSON.stringify({ eventStatus, gdprApplies, tcString, consents: purpose.consents }));
});
api.update("", false);
await window.happyDOM.close();
EOF
cat >expected <<'EOF'
{"eventStatus":"tcloaded","gdprApplies":true,"tcString":"","consents":{}}
EOF
node try.mjs | tee seen
diff expected seen
