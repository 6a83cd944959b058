import { assert, assertEquals } from "@std/assert";
import type { Register } from "./register.ts";

/** Registers the tests of timers and activation. */
export function registerTimers(test: Register): void {
  test("calls a timer once, after its delay", async ({ environment, pass }) => {
    const startMs = environment.now();
    const delays: number[] = [];
    environment.setTimer(() => delays.push(environment.now() - startMs), 20);

    await pass(60);

    assertEquals(delays.length, 1);
    assert(Number(delays[0]) >= 19, "a real clock rounds");
  });

  test("doesn't call a timer in the task that sets it", async ({ environment, pass }) => {
    let calls = 0;
    environment.setTimer(() => calls++, 0);
    assertEquals(calls, 0);

    await pass(5);
    assertEquals(calls, 1);
  });

  test("calls timers in the order of their delays", async ({ environment, pass }) => {
    const calls: string[] = [];
    environment.setTimer(() => calls.push("late"), 30);
    environment.setTimer(() => calls.push("early"), 1);

    await pass(60);

    assertEquals(calls, ["early", "late"]);
  });

  test("doesn't call a cancelled timer", async ({ environment, pass }) => {
    let calls = 0;
    const cancel = environment.setTimer(() => calls++, 5);

    cancel();
    cancel();
    await pass(20);

    assertEquals(calls, 0);
  });

  test("is active in this task", ({ environment }) => {
    let calls = 0;
    environment.whenActive(() => calls++);

    assertEquals(calls, 1);
  });

  test("is active a task after a page loaded ahead is shown", async ({ environment, activate, pass }) => {
    let calls = 0;
    environment.whenActive(() => calls++);
    assertEquals(calls, 0);

    activate();
    assertEquals(calls, 0);
    await pass(5);
    assertEquals(calls, 1);

    environment.whenActive(() => calls++);
    assertEquals(calls, 2);
  }, { isPrerendering: true });
}
