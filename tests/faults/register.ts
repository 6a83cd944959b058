import type { Engine } from "./engines/engine.ts";
import { launch } from "./engines/launch.ts";
import { readForm } from "./form.ts";
import { runScenario, type Scenario } from "./scenario.ts";

/**
 * Scenarios that a change waits for in each engine: exit, a page that is hidden, a lost answer, a visit without a
 * server, and consent denied in a backoff, during a request and at the next visit.
 */
const SMOKE_IDS: readonly string[] = ["1a", "1e", "2c", "3a", "9a", "9b", "9c"];

/** Registers a test for each scenario in the engine of this process, or for the few that a change waits for. */
export function register(scenarios: readonly Scenario[]): void {
  const form = readForm();
  let engine: Engine | undefined;
  Deno.test.beforeAll(async () => {
    engine = await launch(form.engine);
  });
  Deno.test.afterAll(async () => {
    await engine?.close();
  });
  for (const scenario of scenarios) {
    if (form.isSmoke && !SMOKE_IDS.includes(scenario.id)) continue;
    Deno.test(`${scenario.id} ${scenario.title} (${form.engine})`, async () => {
      if (!engine) throw new Error(`${form.engine} wasn't launched`);
      await runScenario(engine, scenario, form);
    });
  }
}
