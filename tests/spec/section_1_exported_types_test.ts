import { assertEquals } from "@std/assert";
import * as sdk from "../../mod.ts";
import type {
  AggregatePageviewPayload,
  Config,
  ConsentState,
  EventContext,
  EventRequestPayload,
  Identity,
  InitConfig,
  Payload,
  StepEvent,
} from "../../mod.ts";

/** `true` for types that are the same in both directions, readonly and optional members included. */
type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

/** Flattens an interface so that it compares member by member. */
type Flat<T> = { [K in keyof T]: T[K] };

/** Fails to compile unless the types are the same. */
function assertType<_Proof extends true>(): void {}

type Values = Readonly<Record<string, unknown>>;

Deno.test("SPEC 1 mod.ts: exports exactly Vendor at runtime", () => {
  assertEquals(Object.keys(sdk), ["Vendor"]);
});

Deno.test("SPEC 1 Vendor: has the operations of SPEC 4.2 and flush", () => {
  assertEquals(Object.keys(sdk.Vendor).sort(), [
    "flush",
    "getConsent",
    "identify",
    "init",
    "page",
    "reset",
    "setConsent",
    "step",
  ]);
});

Deno.test("SPEC 2.1 InitConfig: only apiKey is required by its type", () => {
  type Expected = {
    readonly apiKey: string;
    readonly endpoint?: string;
    readonly flushInterval?: number;
    readonly maxBatchSize?: number;
    readonly trackPageviews?: boolean | "auto";
    readonly debug?: boolean;
    readonly consent?: ConsentState;
  };
  assertType<IsSame<Flat<InitConfig>, Expected>>();
});

Deno.test("SPEC 2.2 Config: only debug is optional by its type", () => {
  type Expected = {
    readonly apiKey: string;
    readonly endpoint: string;
    readonly flushInterval: number;
    readonly maxBatchSize: number;
    readonly trackPageviews: boolean | "auto";
    readonly debug?: boolean;
  };
  assertType<IsSame<Flat<Config>, Expected>>();
});

Deno.test("SPEC 2.3 ConsentState: is exactly three strings by its type", () => {
  assertType<IsSame<ConsentState, "pending" | "granted" | "denied">>();
});

Deno.test("SPEC 2.4 Identity: userId is required and nullable by its type", () => {
  type Expected = { readonly userId: string | null; readonly anonymousId?: string; readonly traits?: Values };
  assertType<IsSame<Flat<Identity>, Expected>>();
});

Deno.test("SPEC 2.5 EventContext: sdkName is a literal and the page's fields are optional by its type", () => {
  type Expected = {
    readonly sdkName: "@vendor/sdk";
    readonly sdkVersion: string;
    readonly pageUrl?: string;
    readonly referrer?: string;
    readonly pageTitle?: string;
    readonly screenWidth?: number;
    readonly screenHeight?: number;
  };
  assertType<IsSame<Flat<EventContext>, Expected>>();
});

Deno.test("SPEC 2.6 StepEvent: id, name and timestamp are required by its type", () => {
  type Expected = {
    readonly id: string;
    readonly name: string;
    readonly properties?: Values;
    readonly timestamp: string;
    readonly sessionId?: string;
    readonly identity?: Identity;
    readonly context?: EventContext;
  };
  assertType<IsSame<Flat<StepEvent>, Expected>>();
});

Deno.test("SPEC 2.7 EventRequestPayload: every field is required by its type", () => {
  type Expected = {
    readonly type: "identity" | "event";
    readonly batchId: string;
    readonly sessionId: string;
    readonly identity: Identity;
    readonly events: readonly StepEvent[];
    readonly sentAt: string;
    readonly context: EventContext;
  };
  assertType<IsSame<Flat<EventRequestPayload>, Expected>>();
});

Deno.test("SPEC 2.7 Payload: is an alias of EventRequestPayload", () => {
  assertType<IsSame<Payload, EventRequestPayload>>();
});

Deno.test("SPEC 2.8 AggregatePageviewPayload: events hold only id, name, timestamp and context by its type", () => {
  type Expected = {
    readonly type: "event";
    readonly collection: "aggregate";
    readonly batchId: string;
    readonly events: readonly Pick<StepEvent, "id" | "name" | "timestamp" | "context">[];
    readonly sentAt: string;
  };
  assertType<IsSame<Flat<AggregatePageviewPayload>, Expected>>();
});

Deno.test("SPEC 4.2 Vendor: the operations have the documented parameters and return values by their types", () => {
  type Parameter<Method extends (...args: never) => unknown> = Readonly<Parameters<Method>>;
  assertType<IsSame<Parameter<typeof sdk.Vendor.init>, readonly [config: InitConfig]>>();
  assertType<IsSame<Parameter<typeof sdk.Vendor.step>, readonly [name: string, properties?: object | undefined]>>();
  assertType<IsSame<Parameter<typeof sdk.Vendor.identify>, readonly [userId: string, traits?: object | undefined]>>();
  assertType<IsSame<Parameter<typeof sdk.Vendor.setConsent>, readonly [state: ConsentState]>>();
  assertType<IsSame<ReturnType<typeof sdk.Vendor.getConsent>, ConsentState>>();
  assertType<IsSame<ReturnType<typeof sdk.Vendor.flush>, Promise<void>>>();
  assertType<IsSame<ReturnType<typeof sdk.Vendor.init>, void>>();
  assertType<IsSame<ReturnType<typeof sdk.Vendor.step>, void>>();
  assertType<IsSame<ReturnType<typeof sdk.Vendor.identify>, void>>();
  assertType<IsSame<ReturnType<typeof sdk.Vendor.setConsent>, void>>();
  assertType<IsSame<typeof sdk.Vendor.reset, () => void>>();
  assertType<IsSame<typeof sdk.Vendor.page, (properties?: object) => void>>();
});
