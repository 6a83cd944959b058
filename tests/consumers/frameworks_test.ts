import { testFramework } from "./driver/test_framework.ts";

testFramework({ name: "React Router", fixture: "react_router", key: "React Router" });
testFramework({ name: "Next.js App Router", fixture: "next_app", key: "Next.js" });
testFramework({ name: "Nuxt", fixture: "nuxt", key: "Nuxt" });
testFramework({ name: "SvelteKit", fixture: "sveltekit", key: "SvelteKit" });
testFramework({ name: "Astro with its client router", fixture: "astro", key: "Astro" });
