import type { Engine } from "./engines/engine.ts";
import { launch } from "./engines/launch.ts";
import { readForm } from "./form.ts";
import { runScenario, type Scenario } from "./scenario.ts";

/** Registers a test for each scenario in the engine of this process. */
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
    Deno.test(`${scenario.id} ${scenario.title} (${form.engine})`, async () => {
      if (!engine) throw new Error(`${form.engine} wasn't launched`);
      await runScenario(engine, scenario, form);
    });
  }
}
