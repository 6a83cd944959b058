#!/usr/bin/env bash
# Klaro 0.7.22 with "default: true": getConsent() is true before the visitor chose, and the service's callback gets false.
# getConsent() is the state of the switches in the dialog; "confirmed" says whether there is a choice.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error klaro@0.7.22 happy-dom@21.0.4 >>npm.log

cat >try.mjs <<'EOF'
import { Window } from "happy-dom";
import { readFileSync } from "node:fs";

const window = new Window({
  url: "https://shop.example/",
  settings: { enableJavaScriptEvaluation: true, suppressInsecureJavaScriptEnvironmentWarning: true },
});
window.eval(readFileSync("node_modules/klaro/dist/klaro-no-css.js", "utf8"));
const callback = (consent) => console.log("callback:", consent);
const services = [{ name: "analytics", purposes: ["analytics"], callback }];
const manager = window.klaro.getManager({ version: 1, translations: { en: {} }, default: true, services });
console.log("getConsent():", manager.getConsent("analytics"), "confirmed:", manager.confirmed);
await window.happyDOM.close();
EOF
cat >expected <<'EOF'
callback: false
getConsent(): true confirmed: false
EOF
node try.mjs | tee seen
diff expected seen
