import { testFramework } from "./driver/test_framework.ts";

testFramework({
  name: "React Router",
  fixture: "react_router",
  lateTitles: [
    "follows a link with a query",
    "follows a link to a page made from its data",
    "follows a third link",
    "goes back",
    "follows a link that redirects",
  ],
});
testFramework({ name: "Next.js App Router", fixture: "next_app" });
testFramework({ name: "Nuxt", fixture: "nuxt", lateTitles: ["goes back"] });
testFramework({ name: "SvelteKit", fixture: "sveltekit", lateTitles: ["goes back"] });
testFramework({ name: "Astro with its client router", fixture: "astro", lateTitles: ["goes back"] });
