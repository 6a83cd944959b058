#!/usr/bin/env bash
# vanilla-cookieconsent 3.1.0 in the mode opt-out: acceptedCategory() is false for a category that is in force.
# Before the visitor chose, the scripts of a category that is enabled run, and getUserPreferences() lists it as accepted;
# acceptedCategory() asks for a saved choice, and no callback tells of the start.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error vanilla-cookieconsent@3.1.0 happy-dom@21.0.4 >>npm.log

cat >try.mjs <<'EOF'
import { Window } from "happy-dom";
import { readFileSync } from "node:fs";

const window = new Window({
  url: "https://shop.example/",
  settings: { enableJavaScriptEvaluation: true, suppressInsecureJavaScriptEnvironmentWarning: true },
});
window.eval(readFileSync("node_modules/vanilla-cookieconsent/dist/cookieconsent.umd.js", "utf8"));
const { CookieConsent } = window;
window.document.body.innerHTML = '<script type="text/plain" data-category="analytics">window.hasRun = true</script>';
await CookieConsent.run({
  mode: "opt-out",
  hideFromBots: false,
  categories: { necessary: { enabled: true, readOnly: true }, analytics: { enabled: true } },
  language: { default: "en", translations: { en: { consentModal: { title: "" }, preferencesModal: { sections: [] } } } },
  onConsent: () => console.log("onConsent()"),
});
await window.happyDOM.waitUntilComplete();
console.log("its script has run:", window.hasRun);
console.log("getUserPreferences():", CookieConsent.getUserPreferences().acceptedCategories);
console.log("acceptedCategory():", CookieConsent.acceptedCategory("analytics"));
await window.happyDOM.close();
EOF
cat >expected <<'EOF'
its script has run: true
getUserPreferences(): [ 'necessary', 'analytics' ]
acceptedCategory(): false
EOF
node try.mjs | tee seen
diff expected seen
