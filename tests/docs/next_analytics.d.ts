import type { ConsentState } from "@vendor/sdk";

/** The component of the README's first Next.js file, as its second one imports it. */
export function Analytics(props: { readonly consent: ConsentState }): null;
