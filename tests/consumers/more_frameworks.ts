/**
 * The major before today's, where many still use it, and another banner. It has another name than a test's, so that a run
 * has to ask for it.
 *
 * @module
 */
import { testFramework } from "./driver/test_framework.ts";

testFramework({ name: "React Router 7", fixture: "react_router", variant: "react_router_7", key: "React Router" });
testFramework({ name: "Next.js 15", fixture: "next_app", variant: "next_15", key: "Next.js" });
testFramework({ name: "Nuxt 3", fixture: "nuxt", variant: "nuxt_3", key: "Nuxt" });
testFramework({ name: "SvelteKit 2", fixture: "sveltekit", variant: "sveltekit_2", key: "SvelteKit" });
testFramework({ name: "Astro 5", fixture: "astro", variant: "astro_5", key: "Astro" });
testFramework({
  name: "Next.js with the package's banner",
  fixture: "next_app",
  variant: "next_banner",
  key: "Next.js",
});
