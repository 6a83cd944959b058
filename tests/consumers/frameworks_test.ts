import { testFramework } from "./driver/test_framework.ts";

// A router that changes the URL before it has the data of the page sets the title later than the SDK reads it, a task
// after the change: such pageviews have the title of the page before.
const BACK_IS_LATE = { "goes back": { title: "About" } } as const;

testFramework({
  name: "React Router",
  fixture: "react_router",
  differences: {
    ...BACK_IS_LATE,
    "follows a link with a query": { title: "Home" },
    "follows a link to a page made from its data": { title: "Teas" },
    "follows a third link": { title: "Sencha" },
    "follows a link that redirects": { title: "Sencha" },
  },
});
testFramework({ name: "Next.js App Router", fixture: "next_app" });
testFramework({ name: "Nuxt", fixture: "nuxt", differences: BACK_IS_LATE });
testFramework({ name: "SvelteKit", fixture: "sveltekit", differences: BACK_IS_LATE });
testFramework({ name: "Astro with its client router", fixture: "astro", differences: BACK_IS_LATE });
