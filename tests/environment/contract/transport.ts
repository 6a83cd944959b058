import { assertEquals } from "@std/assert";
import {
  NO_ANSWER,
  type TransportAnswer,
  type TransportRequest,
  UNSENDABLE,
} from "../../../src/environment/environment.ts";
import type { PageDriver } from "../page_driver.ts";
import { createEar } from "./ear.ts";
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

  test("tells the Retry-After of an answer in milliseconds", async (driver) => {
    driver.respond({ status: 503, retryAfterS: 120 });
    const { answers } = send(driver);
    await driver.pass(5);

    assertEquals(answers.map(({ retryAfterMs }) => retryAfterMs), [120_000]);
  });

  test("tells no Retry-After where there is none", async (driver) => {
    driver.respond({ status: 503 });
    const { answers } = send(driver);
    await driver.pass(5);

    assertEquals(answers.map(({ retryAfterMs }) => retryAfterMs), [undefined]);
  });

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

  test("tells a header value that can't be sent", async (driver) => {
    const { statuses } = send(driver, { headers: { "X-API-Key": "pk_ключ" } });
    await driver.pass(5);

    assertEquals(statuses(), [UNSENDABLE]);
    assertEquals(driver.sent(), []);
  });

  test("tells a line break in a header value", async (driver) => {
    const { statuses } = send(driver, { headers: { "X-API-Key": "pk\r\nX-Other: 1" } });
    await driver.pass(5);

    assertEquals(statuses(), [UNSENDABLE]);
    assertEquals(driver.sent(), []);
  });

  test("sends a header value of Latin-1", async (driver) => {
    const { statuses } = send(driver, { headers: { "X-API-Key": "pk_é" } });
    await driver.pass(5);

    assertEquals(statuses(), [202]);
  });

  test("tells credentials in the URL", async (driver) => {
    const { statuses } = send(driver, { url: "https://user:secret@ingest.example/v1/events" });
    await driver.pass(5);

    assertEquals(statuses(), [UNSENDABLE]);
    assertEquals(driver.sent(), []);
  });

  test("tells which URL a content security policy blocked, and has no answer", async (driver) => {
    const { heard, listeners } = createEar(driver);
    driver.environment.listen(listeners);
    driver.block(ENDPOINT);

    const { statuses } = send(driver, { url: `${ENDPOINT}#part` });
    await driver.pass(5);

    assertEquals(heard, [`blocked ${ENDPOINT}`]);
    assertEquals(statuses(), [NO_ANSWER]);
    assertEquals(driver.sent(), []);
  });
}
