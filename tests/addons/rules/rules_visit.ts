import type { InitConfig } from "../../../mod.ts";
import { addRules, type Rule } from "../../../src/addons/rules/mod.ts";
import { type Client, createClient } from "../../../src/client/mod.ts";
import { createTestBrowser, type TestBrowser, type TestPage } from "../../../src/testing/mod.ts";

export const URL = "https://shop.example/users/7?token=secret&q=tea";

export const FROM = "https://mail.example/inbox?to=ann@mail.example";

interface Visit {
  readonly browser: TestBrowser;
  readonly page: TestPage;
  readonly client: Client;
}

export function visit(
  rules: readonly Rule[],
  config: Partial<InitConfig> = {},
  browser: TestBrowser = createTestBrowser(),
): Visit {
  const page = browser.open(URL, { title: "Account of Ann", referrer: FROM });
  const client = createClient({ apiKey: "pk_test", ...config }, page.environment);
  addRules(client, ...rules);
  return { browser, page, client };
}

/** Returns everything that the browser was given to keep or to send. */
export function textOf({ browser, page }: Visit): string {
  const { storage } = page.environment;
  return JSON.stringify([
    browser.requests.map(({ text }) => text),
    storage.keys("").map((key) => storage.get(key)),
  ]);
}
