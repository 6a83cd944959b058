// Compiled against the packed npm package with every TypeScript since 5.2, with and without the DOM's types.
import {
  type AggregatePageviewPayload,
  type Config,
  type ConsentState,
  type EventContext,
  type EventRequestPayload,
  type Identity,
  type InitConfig,
  type Payload,
  type StepEvent,
  Vendor,
} from "@vendor/sdk";
import {
  type Client,
  createClient,
  detectEnvironment,
  type DropCounts,
  type Environment,
  NO_ANSWER,
} from "@vendor/sdk/client";
import { type Analytics, createAnalytics } from "@vendor/sdk/compat/segment";
import { askConsent } from "@vendor/sdk/banner";
import { type ConsentSource, followConsent, fromTcf, initialConsent, rememberConsent } from "@vendor/sdk/consent";
import { withCookie } from "@vendor/sdk/cookie";
import { captureVendor, checkPlan, createTestBrowser, type TestPage } from "@vendor/sdk/testing";

const config: InitConfig = { apiKey: "pk_test", trackPageviews: "auto", consent: "pending" };
Vendor.init(config);
Vendor.step("signup", { tier: "pro" });
Vendor.identify("user-42", { plan: "pro" });
Vendor.setConsent("granted");
const consent: ConsentState = Vendor.getConsent();
const flushed: Promise<void> = Vendor.flush();

const nowhere: Environment = { canCollect: false, log: () => {} };
const client: Client = createClient(config, nowhere);
const drops: DropCounts = client.drops();

const source: ConsentSource = fromTcf({ purposes: [1], outsideGdpr: initialConsent({ saved: null, gpc: "denied" }) });
export const stops: readonly (() => void)[] = [
  followConsent(Vendor, source),
  followConsent(client, source),
  askConsent(rememberConsent(Vendor), { more: { text: "Privacy", href: "/privacy" } }),
];

const environment: Environment = withCookie(detectEnvironment(), { domain: "shop.example" });
export const shared: Client = createClient(config, environment);
const analytics: Analytics = createAnalytics(Vendor);
void createAnalytics(shared).track("signup", () => {});
void analytics.identify({ plan: "pro" }, () => {});
void analytics.page("docs", "install", { version: 2 }, {}, () => {});

const page: TestPage = createTestBrowser().open("https://shop.example/");
const events: readonly StepEvent[] = page.events;
const context: EventContext | undefined = events[0]?.context;
const identity: Identity = { userId: null };
const payload: Payload | AggregatePageviewPayload | undefined = page.requests[0]?.body;

type Steps = { signup: { tier: "free" | "pro" }; logout: undefined };
const captured = captureVendor<Steps>(Vendor, { url: "https://shop.example/", init: config });
export const tiers: readonly ("free" | "pro")[] = captured.steps("signup").map(({ properties }) => properties.tier);
export const violations: readonly string[] = checkPlan(captured.events, {}).map(({ kind }) => kind);

/** What a receiver can tell apart. */
export function describe(body: EventRequestPayload | AggregatePageviewPayload): string {
  return "collection" in body ? body.collection : body.sessionId;
}

/** The types of the specification hold what they should. */
export function resolve({ apiKey, endpoint }: Config): string {
  return apiKey + endpoint + NO_ANSWER;
}

// @ts-expect-error -- the key is required
Vendor.init({});
// @ts-expect-error -- what holds outside the GDPR is the application's to say
fromTcf({ purposes: [1] });
// @ts-expect-error -- a name is a text or an object
void analytics.track(42);
// @ts-expect-error -- the domain is required
withCookie(environment, {});
// @ts-expect-error -- no such state
Vendor.setConsent("yes");
// @ts-expect-error -- absent is not undefined (exactOptionalPropertyTypes)
export const wrong: InitConfig = { apiKey: "pk_test", consent: undefined };

export { consent, context, drops, flushed, identity, payload };
