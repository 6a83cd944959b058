import { assertEquals } from "@std/assert";
import {
  NO_ANSWER,
  type TransportAnswer,
  type TransportRequest,
  UNSENDABLE,
} from "../../../../src/client/platform/environment.ts";
import type { PageDriver } from "../page_driver.ts";
import type { Register } from "./register.ts";
import { ENDPOINT, REQUEST } from "./request.ts";

/** Registers the tests of sending. */
export function registerTransport(test: Register): void {
  /** Sends a request and writes down its answers. */
  const send = ({ environment }: PageDriver, changes: Partial<TransportRequest> = {}) => {
    const answers: TransportAnswer[] = [];
    const abort = environment.send({ ...REQUEST, ...changes }, (answer) => answers.push(answer));
    return { answers, abort, statuses: (): readonly number[] => answers.map(({ status }) => status) };
  };

  test("sends in this task, as it was told", (driver) => {
    send(driver);
    send(driver, { url: `${ENDPOINT}?v=1#part`, body: "{}", keepalive: false, priority: "auto" });

    assertEquals(driver.sent(), [
      REQUEST,
      { ...REQUEST, url: `${ENDPOINT}?v=1#part`, body: "{}", keepalive: false, priority: "auto" },
    ]);
  });

  test("answers later, and once", async (driver) => {
    driver.respond({ status: 413 });
    const { statuses } = send(driver);
    assertEquals(statuses(), []);

    await driver.pass(5);
    await driver.pass(5);
    assertEquals(statuses(), [413]);
  });

  for (const retryAfterS of [120, undefined]) {
    test(`tells a Retry-After of ${retryAfterS} s in milliseconds`, async (driver) => {
      driver.respond({ status: 503, ...retryAfterS && { retryAfterS } });
      const { answers } = send(driver);
      await driver.pass(5);

      assertEquals(answers.map(({ retryAfterMs = 0 }) => retryAfterMs), [(retryAfterS ?? 0) * 1000]);
    });
  }

  test("has no answer without a network", async (driver) => {
    driver.goOffline();
    const { statuses } = send(driver);
    assertEquals(statuses(), []);

    await driver.pass(5);
    assertEquals(statuses(), [NO_ANSWER]);
  });

  test("has no answer to an aborted request", async (driver) => {
    driver.respond("hang");
    const { statuses, abort } = send(driver);
    await driver.pass(5);
    assertEquals(statuses(), []);

    abort();
    abort();
    assertEquals(statuses(), []);
    await driver.pass(5);
    assertEquals(statuses(), [NO_ANSWER]);
  });

  test("takes no notice of an abort after the answer", async (driver) => {
    const { statuses, abort } = send(driver);
    await driver.pass(5);

    abort();
    await driver.pass(5);

    assertEquals(statuses(), [202]);
  });

  for (
    const [what, changes, status] of [
      ["a header value beyond Latin-1", { headers: { "X-API-Key": "pk_ключ" } }, UNSENDABLE],
      ["a line break in a header value", { headers: { "X-API-Key": "pk\r\nX-Other: 1" } }, UNSENDABLE],
      ["credentials in the URL", { url: "https://user:secret@ingest.example/v1/events" }, UNSENDABLE],
      ["a header value of Latin-1", { headers: { "X-API-Key": "pk_é" } }, 202],
    ] as const
  ) {
    test(`answers ${status} to ${what}`, async (driver) => {
      const { statuses } = send(driver, changes);
      await driver.pass(5);

      assertEquals([statuses(), driver.sent().length], [[status], status === UNSENDABLE ? 0 : 1]);
    });
  }
}
