import { testFramework } from "./driver/test_framework.ts";

testFramework({ name: "React Router", fixture: "react_router" });
testFramework({ name: "Next.js App Router", fixture: "next_app" });
testFramework({ name: "Nuxt", fixture: "nuxt" });
testFramework({ name: "SvelteKit", fixture: "sveltekit" });
testFramework({ name: "Astro with its client router", fixture: "astro" });
