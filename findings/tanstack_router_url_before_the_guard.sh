#!/usr/bin/env bash
# @tanstack/react-router 1.170.46: while beforeLoad() is under way, the next URL is in place and the page before is shown.
# A guard that redirects later leaves a time in which the address bar names a page that is never shown. Code that reads
# the URL then counts it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error @tanstack/react-router@1.170.46 react@19.3.1 react-dom@19.3.1 \
  happy-dom@21.0.4 >>npm.log

cat >try.mjs <<'EOF'
import { Window } from "happy-dom";

const window = new Window({ url: "https://shop.example/" });
for (const [name, value] of Object.entries({ window, self: window, document: window.document, navigator: window.navigator })) {
  Object.defineProperty(globalThis, name, { value, configurable: true });
}
globalThis.scrollTo = () => {};
const { createElement } = await import("react");
const { createRoot } = await import("react-dom/client");
const router = await import("@tanstack/react-router");

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const root = router.createRootRoute();
const page = (path, beforeLoad) =>
  router.createRoute({ path, getParentRoute: () => root, component: () => createElement("h1", null, `page ${path}`), beforeLoad });
const routeTree = root.addChildren([
  page("/"),
  page("/login"),
  page("/account", async () => {
    await pause(500);
    throw router.redirect({ to: "/login" });
  }),
]);
const app = router.createRouter({ routeTree });
createRoot(document.body.appendChild(document.createElement("div"))).render(createElement(router.RouterProvider, { router: app }));
const look = (when) => console.log(`${when}: ${window.location.pathname}, ${document.body.textContent}`);
await pause(300);
look("at the start");
void app.navigate({ to: "/account" });
await pause(250);
look("while beforeLoad() is under way");
await pause(1000);
look("at the end");
await window.happyDOM.close();
process.exit();
EOF
cat >expected <<'EOF'
at the start: /, page /
while beforeLoad() is under way: /account, page /
at the end: /login, page /login
EOF
node --conditions=browser try.mjs | tee seen
diff expected seen
