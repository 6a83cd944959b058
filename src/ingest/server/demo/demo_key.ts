/** The publishable key of the demo site, known to the demo's ingest. */
export const DEMO_KEY = "pk_demo_tidewater_tea";
