import { assertEquals, assertThrows } from "@std/assert";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import {
  createIngest,
  createMemorySink,
  type IngestOptions,
  type IngestOutcome,
  type StoredEvent,
} from "../../src/ingest/mod.ts";
import { AGGREGATE, EVENT, FULL, KEY, NOW_MS, ORIGIN, post } from "./fixtures.ts";
import type { Plan } from "../../src/plan/mod.ts";

const PLAN = {
  signup: v.strictObject({ plan: v.picklist(["free", "pro"]), coupon: v.optional(v.string()) }),
  search: v.object({ query: v.optional(v.string()) }),
  logout: undefined,
} satisfies Plan;

interface Visit {
  readonly answers: readonly unknown[];
  readonly stored: readonly StoredEvent[];
  readonly outcomes: readonly IngestOutcome[];
  readonly errors: readonly string[];
}

/** A step, and its ID where it is to have the one of another. */
type Step = readonly [name: string, properties?: object, id?: string];

/** Sends the batches, one after the other. */
async function visit(options: Partial<IngestOptions>, ...batches: readonly (readonly Step[])[]): Promise<Visit> {
  const sink = createMemorySink();
  const outcomes: IngestOutcome[] = [];
  const errors: string[] = [];
  const answers: unknown[] = [];
  const ingest = createIngest({
    keys: [{ apiKey: KEY, origins: [ORIGIN] }],
    sink,
    now: () => NOW_MS,
    onOutcome: (outcome) => outcomes.push(outcome),
    onError: (error) => errors.push(String(error)),
    ...options,
  });
  for (const [batch, steps] of batches.entries()) {
    const { properties: _, ...event } = EVENT;
    const events = steps.map(([name, properties, id], index) => ({
      ...event,
      id: id ?? `e-${batch}-${index}`,
      name,
      properties,
    }));
    const answer = await ingest(post({ ...FULL, events }));
    answers.push([answer.status, await answer.json()]);
  }
  return { answers, outcomes, errors, stored: await sink.events() };
}

/** Returns the violation of each step, all being of one batch. */
async function violationsOf(plan: Plan, ...steps: readonly Step[]): Promise<readonly (string | undefined)[]> {
  const { stored } = await visit({ plan }, steps);
  return stored.map(({ violation }) => violation);
}

Deno.test("a plan marks the events that break it, and stores them as they came", async () => {
  const { answers, stored, outcomes } = await visit({ plan: PLAN }, [
    ["signup", { plan: "pro" }],
    ["signp", { plan: "pro" }],
    ["signup", { coupon: "TEA" }],
    ["signup", { plan: "gold" }],
    ["signup", { plan: "pro", colour: "green" }],
    ["signup"],
    ["login"],
  ]);

  assertEquals(answers, [[202, { accepted: 7, duplicates: 0 }]]);
  assertEquals(stored.map(({ name, properties, violation }) => [name, properties, violation]), [
    ["signup", { plan: "pro" }, undefined],
    ["signp", { plan: "pro" }, "unknown"],
    ["signup", { coupon: "TEA" }, "missing"],
    ["signup", { plan: "gold" }, "invalid"],
    ["signup", { plan: "pro", colour: "green" }, "invalid"],
    ["signup", undefined, "missing"],
    ["login", undefined, "unknown"],
  ]);
  assertEquals(outcomes.map((outcome) => outcome.kind === "stored" && outcome.violations), [[
    { name: "", kind: "unknown", count: 2 },
    { name: "signup", kind: "missing", count: 2 },
    { name: "signup", kind: "invalid", count: 2 },
  ]]);
});

Deno.test("a plan takes a step without properties where undefined or {} would do", async () => {
  const steps = [["search"], ["search", {}], ["logout"], ["logout", {}], ["logout", { at: "noon" }]] as const;

  assertEquals(await violationsOf(PLAN, ...steps), [undefined, undefined, undefined, undefined, "invalid"]);
});

Deno.test("a plan can be of zod or of arktype", async () => {
  const steps = [["signup", { plan: "pro" }], ["signup", { plan: "gold" }], ["signup", {}]] as const;

  assertEquals(await violationsOf({ signup: z.object({ plan: z.enum(["free", "pro"]) }) }, ...steps), [
    undefined,
    "invalid",
    "missing",
  ]);
  assertEquals(await violationsOf({ signup: type({ plan: "'free' | 'pro'" }) }, ...steps), [
    undefined,
    "invalid",
    "missing",
  ]);
  assertEquals(
    await violationsOf({ signup: type({ plan: "string" }).narrow(({ plan }) => plan !== "gold") }, ...steps),
    [undefined, "invalid", "missing"],
  );
});

Deno.test("what a schema makes of the properties isn't what is stored", async () => {
  const plan = { signup: z.object({ plan: z.string().transform((text) => text.length) }) };

  const { stored } = await visit({ plan }, [["signup", { plan: "pro", more: true }]]);

  assertEquals(stored.map(({ properties, violation }) => [properties, violation]), [
    [{ plan: "pro", more: true }, undefined],
  ]);
});

Deno.test("a plan takes no notice of pageviews, full or aggregate, nor of names that objects have", async () => {
  const sink = createMemorySink();
  const ingest = createIngest({ keys: [{ apiKey: KEY, origins: [ORIGIN] }], sink, plan: PLAN, planMode: "refuse" });

  await ingest(post({ ...FULL, events: [{ ...EVENT, name: "$pageview" }] }));
  await ingest(post(AGGREGATE));

  assertEquals((await sink.events()).map(({ collection, violation }) => [collection, violation]), [
    ["full", undefined],
    ["aggregate", undefined],
  ]);
  assertEquals(await violationsOf(PLAN, ["constructor"], ["__proto__"]), ["unknown", "unknown"]);
});

Deno.test("a plan that refuses leaves out what breaks it, and says so with 202", async () => {
  const { answers, stored, outcomes } = await visit(
    { plan: PLAN, planMode: "refuse" },
    [["signup", { plan: "pro" }], ["signp"], ["signup", { plan: "gold" }]],
    [["signp"]],
    [["logout"]],
  );

  assertEquals(answers, [
    [202, { accepted: 1, duplicates: 0, refused: 2 }],
    [202, { accepted: 0, duplicates: 0, refused: 1 }],
    [202, { accepted: 1, duplicates: 0, refused: 0 }],
  ]);
  assertEquals(stored.map(({ name }) => name), ["signup", "logout"]);
  assertEquals(outcomes[0], {
    kind: "stored",
    keyName: "key-1",
    accepted: 1,
    duplicates: 0,
    refused: 2,
    pageviews: 0,
    overAllowance: 0,
    violations: [{ name: "", kind: "unknown", count: 1 }, { name: "signup", kind: "invalid", count: 1 }],
  });
});

Deno.test("a batch that comes again is counted once", async () => {
  const batch = [["signp", {}, "e-1"]] as const;

  const { outcomes } = await visit({ plan: PLAN }, batch, batch);

  assertEquals(outcomes.map((outcome) => outcome.kind === "stored" && outcome.violations), [
    [{ name: "", kind: "unknown", count: 1 }],
    [],
  ]);
});

Deno.test("a schema that throws costs no event, and its error repeats nothing of one", async () => {
  const broken = v.pipe(
    v.object({ plan: v.string() }),
    v.check(({ plan }) => {
      throw new Error(plan);
    }),
  );

  const { stored, errors } = await visit({ plan: { signup: broken }, planMode: "refuse" }, [["signup", {
    plan: "pro",
  }]]);

  assertEquals(stored.map(({ violation }) => violation), [undefined]);
  assertEquals(errors, ['PlanFault: the schema of "signup" failed']);
});

Deno.test("an asynchronous schema, which might never answer, costs no event", async () => {
  const never = v.objectAsync({ plan: v.pipeAsync(v.string(), v.checkAsync(() => new Promise<boolean>(() => {}))) });

  const { stored, errors } = await visit({ plan: { signup: never }, planMode: "refuse" }, [["signup", { plan: "a" }]]);

  assertEquals(stored.map(({ violation }) => violation), [undefined]);
  assertEquals(errors, ['PlanFault: the schema of "signup" failed']);
});

Deno.test("createIngest() throws for a plan that is none", () => {
  const options = { keys: [{ apiKey: KEY, origins: [ORIGIN] }], sink: createMemorySink() };
  const create = (changes: object): unknown => createIngest({ ...options, ...changes });

  assertThrows(() => create({ plan: { signup: { type: "object" } } }), TypeError, '"signup" in the plan is no schema');
  assertThrows(
    () => create({ plan: { signup: null, logout: "none" } }),
    TypeError,
    '"logout" in the plan is no schema',
  );
  assertThrows(() => create({ plan: PLAN, planMode: "drop" }), TypeError, 'planMode must be "count" or "refuse"');
});
