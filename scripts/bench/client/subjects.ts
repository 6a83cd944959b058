/** An SDK under test, used as an application would use it. */
export interface Subject {
  /** Name on the command line. */
  readonly id: string;
  /** Package that its version is told of; absent for what is ours. */
  readonly packageName?: string;
  /** Module that exports `init(url)` and `track(name, properties)`, with {@linkcode SCRIPT_MARK} in place of a script. */
  readonly program: string;
  /** Folder of the client that {@linkcode OWN_PACKAGE} stands for. @default {this repository} */
  readonly clientFolder?: string;
  /** Longest pause between its requests in milliseconds: after that it has sent what it will send. */
  readonly quietMs: number;
  /** Whether it's given 10,000 events in one task, which neither crash the page nor block it for seconds. @default {false} */
  readonly isForMany?: boolean;
}

/** Name under which the programs import the client of this repository, or of an earlier commit. */
export const OWN_PACKAGE = "@vendor/sdk";

/** Name of the client of an earlier commit. */
export const EARLIER_SUBJECT = "before";

/** Name under which they import `floor.ts`. */
export const FLOOR_PACKAGE = "bench-floor";

const OWN_PROGRAM = `import { Vendor } from "${OWN_PACKAGE}";
export const init = (url) => Vendor.init({ apiKey: "bench", endpoint: url + "/v1/events", trackPageviews: true });
export const track = (name, properties) => Vendor.step(name, properties);`;

/** Packages from npm, at exact versions. */
export const PACKAGES: Readonly<Record<string, string>> = {
  "@amplitude/analytics-browser": "2.47.1",
  "@openpanel/web": "1.4.1",
  "@plausible-analytics/tracker": "0.4.6",
  "@rudderstack/analytics-js": "3.34.1",
  "@segment/analytics-next": "1.84.3",
  "@snowplow/browser-tracker": "4.10.1",
  "mixpanel-browser": "2.83.0",
  "posthog-js": "1.449.2",
  "posthog-js-lite": "4.12.1",
};

/** Dependencies of these in place of a version that was never published, or was withdrawn. */
export const OVERRIDES: Readonly<Record<string, string>> = { "@posthog/browser-common": "0.9.0" };

/** Stands in a program for the text of Umami's script, which no package exports. */
export const SCRIPT_MARK = "UMAMI_SCRIPT;";

/** The package with all of Umami, of which the bench takes one file. It's the last on npm: Umami 3 isn't there. */
export const SCRIPT_PACKAGE = { name: "umami", version: "2.10.0", file: "src/tracker/index.js" } as const;

/**
 * Every SDK records pageviews by itself, where it can, and sends to the collector alone. What an SDK fetches from its
 * vendor is switched off or given here. Limits of rate and of queues are lifted where there is an option for that:
 * rows of many events are to show what events cost.
 */
export const SUBJECTS: readonly Subject[] = [
  { id: "floor", quietMs: 2500, isForMany: true, program: buildFloorProgram(100) },
  { id: "floor-50", quietMs: 2500, isForMany: true, program: buildFloorProgram(50) },
  { id: "ours", quietMs: 7000, isForMany: true, program: OWN_PROGRAM },
  { id: EARLIER_SUBJECT, quietMs: 7000, isForMany: true, program: OWN_PROGRAM },
  {
    id: "plausible",
    packageName: "@plausible-analytics/tracker",
    quietMs: 3000,
    program: `import { init as start, track as send } from "@plausible-analytics/tracker";
export const init = (url) =>
  start({ domain: "bench.example", endpoint: url + "/api/event", captureOnLocalhost: true, logging: false });
export const track = (name, props) => send(name, { props });`,
  },
  {
    id: "umami",
    packageName: SCRIPT_PACKAGE.name,
    quietMs: 3000,
    program: `export const init = (url) => {
  const script = document.createElement("script");
  script.setAttribute("data-website-id", "bench");
  script.setAttribute("data-host-url", url);
  Object.defineProperty(document, "currentScript", { value: script, configurable: true });
  ${SCRIPT_MARK}
};
export const track = (name, properties) => umami.track(name, properties);`,
  },
  {
    id: "amplitude",
    packageName: "@amplitude/analytics-browser",
    quietMs: 5000,
    isForMany: true,
    program: `import * as amplitude from "@amplitude/analytics-browser";
export const init = (url) => amplitude.init("bench", {
  serverUrl: url + "/2/httpapi", remoteConfig: { fetchRemoteConfig: false }, enableDiagnostics: false,
  autocapture: {
    pageViews: true, sessions: false, attribution: false, fileDownloads: false, formInteractions: false,
    pageUrlEnrichment: false,
  },
});
export const track = (name, properties) => { amplitude.track(name, properties); };`,
  },
  {
    id: "posthog",
    packageName: "posthog-js",
    quietMs: 5000,
    program: `import posthog from "posthog-js";
export const init = (url) => posthog.init("phc_bench", {
  api_host: url, autocapture: false, capture_pageview: "history_change", disable_session_recording: true,
  disable_surveys: true, advanced_disable_flags: true, disable_external_dependency_loading: true,
  opt_out_useragent_filter: true, rate_limiting: { events_per_second: 1e6, events_burst_limit: 1e6 },
});
export const track = (name, properties) => { posthog.capture(name, properties); };`,
  },
  {
    id: "posthog-lite",
    packageName: "posthog-js-lite",
    quietMs: 12_000,
    program: `import PostHog from "posthog-js-lite";
let client;
export const init = (url) => {
  client = new PostHog("phc_bench", {
    host: url, preloadFeatureFlags: false, captureHistoryEvents: true, maxQueueSize: 20000,
  });
  client.capture("$pageview", { $current_url: location.href });
};
export const track = (name, properties) => { client.capture(name, properties); };`,
  },
  {
    id: "segment",
    packageName: "@segment/analytics-next",
    quietMs: 5000,
    program: `import { AnalyticsBrowser } from "@segment/analytics-next";
let client;
export const init = (url) => {
  const [protocol, host] = url.split("://");
  const destination = { apiHost: host + "/v1", protocol };
  client = AnalyticsBrowser.load(
    { writeKey: "bench", cdnSettings: { integrations: { "Segment.io": { apiKey: "bench", ...destination } } } },
    { integrations: { "Segment.io": destination } },
  );
  client.page();
};
export const track = (name, properties) => { client.track(name, properties); };`,
  },
  {
    id: "rudderstack",
    packageName: "@rudderstack/analytics-js",
    quietMs: 8000,
    program: `import { RudderAnalytics } from "@rudderstack/analytics-js/bundled";
const client = new RudderAnalytics();
const config = { statsCollection: { errors: { enabled: false }, metrics: { enabled: false } } };
const source = {
  id: "source", name: "source", writeKey: "bench-write-key", enabled: true, workspaceId: "workspace",
  connections: [], destinations: [], dataplanes: {}, config,
};
export const init = (url) => {
  client.load("bench-write-key", url, {
    getSourceConfig: () => ({ source }),
    queueOptions: { maxItems: 20000, batch: { enabled: true, maxItems: 100, flushInterval: 3000 } },
  });
  client.page();
};
export const track = (name, properties) => { client.track(name, properties); };`,
  },
  {
    id: "mixpanel",
    packageName: "mixpanel-browser",
    quietMs: 12_000,
    program: `import mixpanel from "mixpanel-browser";
export const init = (url) => mixpanel.init("bench", {
  api_host: url, track_pageview: "url-with-path", persistence: "localStorage",
});
export const track = (name, properties) => { mixpanel.track(name, properties); };`,
  },
  {
    id: "snowplow",
    packageName: "@snowplow/browser-tracker",
    quietMs: 5000,
    program: `import { newTracker, trackPageView, trackSelfDescribingEvent } from "@snowplow/browser-tracker";
export const init = (url) => {
  newTracker("bench", url, { appId: "bench", bufferSize: 50, maxLocalStorageQueueSize: 20000 });
  trackPageView();
};
export const track = (name, properties) =>
  trackSelfDescribingEvent({ event: { schema: "iglu:com.acme/" + name + "/jsonschema/1-0-0", data: properties } });`,
  },
  {
    id: "openpanel",
    packageName: "@openpanel/web",
    quietMs: 6000,
    program: `import { OpenPanel } from "@openpanel/web";
let client;
export const init = (url) => { client = new OpenPanel({ clientId: "bench", apiUrl: url, trackScreenViews: true }); };
export const track = (name, properties) => { client.track(name, properties); };`,
  },
];

function buildFloorProgram(eventsPerRequest: number): string {
  return `import { init as start, track } from "${FLOOR_PACKAGE}";
export const init = (url) => start(url, ${eventsPerRequest});
export { track };`;
}
