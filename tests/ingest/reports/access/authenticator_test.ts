import { assertEquals, assertThrows } from "@std/assert";
import type { ReportKey, Reports } from "../../../../src/ingest/mod.ts";
import { createAuthenticator } from "../../../../src/ingest/reports/access/authenticator.ts";
import { createTestReports, NOW_MS, readProblem, REPORTS_URL, SECRET, TEST_KEY } from "../reports_fixtures.ts";

interface Stage {
  readonly reports: Reports;
  /** Asks for a report in JSON. */
  ask(secret: string | undefined, address?: string): Promise<Response>;
  /** Sends as many wrong secrets, and returns their statuses. */
  guess(count: number, address?: string): Promise<readonly number[]>;
  /** Lets time pass. */
  wait(ms: number): void;
}

async function setUp(): Promise<Stage> {
  let nowMs = NOW_MS;
  const reports = await createTestReports([], { now: () => nowMs });

  async function ask(secret: string | undefined, address?: string): Promise<Response> {
    const headers = new Headers(secret === undefined ? {} : { Authorization: `Bearer ${secret}` });
    const answer = await reports(new Request(`${REPORTS_URL}?format=json`, { headers }), { address });
    return answer ?? Response.error();
  }

  return {
    reports,
    ask,
    guess: async (count, address) => {
      const answers = await Promise.all(Array.from({ length: count }, (_, index) => ask(`sk_guess_${index}`, address)));
      await Promise.all(answers.map((answer) => answer.text()));
      return answers.map(({ status }) => status);
    },
    wait: (ms) => {
      nowMs += ms;
    },
  };
}

async function statusOf(answering: Promise<Response>): Promise<number> {
  const answer = await answering;
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("createReports() answers 429 after ten wrong secrets of an address, and says when to try again", async () => {
  const { ask, guess, wait } = await setUp();

  const statuses = await guess(12, "203.0.113.9");
  const limited = await ask("sk_guess", "203.0.113.9");
  wait(6_000);

  assertEquals(statuses, [...Array(10).fill(401), 429, 429]);
  assertEquals([limited.headers.get("Retry-After"), limited.headers.get("WWW-Authenticate")], ["6", null]);
  assertEquals(await readProblem(limited), {
    status: 429,
    body: { error: { code: "rate_limited", message: "too many wrong secret keys, try again later" } },
  });
  assertEquals(await guess(2, "203.0.113.9"), [401, 429]);
});

Deno.test("createReports() listens to no secret of a limited address, the right one included, until it has waited", async () => {
  const { ask, guess, wait } = await setUp();
  await guess(10, "203.0.113.9");

  const meanwhile = await statusOf(ask(SECRET, "203.0.113.9"));
  wait(6_000);
  const afterwards = await statusOf(ask(SECRET, "203.0.113.9"));

  assertEquals([meanwhile, afterwards], [429, 200]);
});

Deno.test("createReports() locks nobody out for the wrong secrets of another address", async () => {
  const { ask, guess } = await setUp();
  await guess(20, "203.0.113.9");
  await guess(20, "2001:db8:0:1::9");

  assertEquals(await statusOf(ask(SECRET, "203.0.113.10")), 200);
  assertEquals(await statusOf(ask(SECRET, "2001:db8:0:2::9")), 200);
  assertEquals(await statusOf(ask(SECRET, "::ffff:203.0.113.9")), 429);
  assertEquals(await statusOf(ask(SECRET, "2001:db8:0:1:1:2:3:4")), 429);
});

Deno.test("createReports() limits wrong secrets of unknown addresses together, and answers the right one", async () => {
  const { ask, guess } = await setUp();

  const statuses = await guess(11);

  assertEquals(statuses.at(-1), 429);
  assertEquals(await statusOf(ask(SECRET)), 200);
});

Deno.test("createReports() counts neither right secrets nor requests without any", async () => {
  const { ask, guess } = await setUp();
  for (let count = 0; count < 30; count++) {
    await statusOf(ask(SECRET, "203.0.113.9"));
    await statusOf(ask(undefined, "203.0.113.9"));
  }

  assertEquals(await guess(10, "203.0.113.9"), Array(10).fill(401));
});

Deno.test("createReports() answers any number of right secrets at once", async () => {
  const { ask } = await setUp();

  const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(ask(SECRET, "203.0.113.5"))));

  assertEquals(new Set(statuses), new Set([200]));
});

Deno.test("createReports() shows a page to a browser that is limited", async () => {
  const { reports, guess } = await setUp();
  await guess(10, "203.0.113.9");
  const headers = { Authorization: "Bearer wrong" };

  const page = await reports(new Request(REPORTS_URL, { headers }), { address: "203.0.113.9" });

  assertEquals([page?.status, page?.headers.get("Retry-After")], [429, "6"]);
  assertEquals((await page?.text())?.includes("Too many wrong secret keys"), true);
});

Deno.test("createReports() remembers a thousand addresses, and forgets the quietest", async () => {
  const { guess } = await setUp();
  await guess(10, "192.0.2.1");
  await guess(10, "192.0.2.2");
  for (let index = 0; index < 999; index++) {
    await guess(1, `198.51.${index >> 8}.${index & 255}`);
    await guess(1, "192.0.2.1");
  }

  assertEquals([await guess(1, "192.0.2.1"), await guess(1, "192.0.2.2")], [[429], [401]]);
});

const SHOP = {
  apiKey: "pk_1",
  secretKey: "sk_0123456789abcdef",
  origins: ["https://shop.example"],
} satisfies ReportKey;
const BLOG = {
  apiKey: "pk_2",
  secretKey: "sk_:fedcba9876543210",
  origins: ["https://blog.example"],
} satisfies ReportKey;

async function find(authorization: string | null): Promise<string | undefined> {
  const found = await createAuthenticator([SHOP, BLOG], Date.now).find(authorization, undefined);
  return "key" in found ? found.key.apiKey : undefined;
}

Deno.test("createAuthenticator() takes the secret as the password of Basic, whatever the user name", async () => {
  assertEquals(await find(`Basic ${btoa("me:sk_0123456789abcdef")}`), "pk_1");
  assertEquals(await find(`Basic ${btoa(":sk_0123456789abcdef")}`), "pk_1");
  assertEquals(await find(`basic  ${btoa("me:sk_:fedcba9876543210")}`), "pk_2");
});

Deno.test("createAuthenticator() takes the secret as a Bearer token", async () => {
  assertEquals(await find("Bearer sk_0123456789abcdef"), "pk_1");
  assertEquals(await find("BEARER sk_:fedcba9876543210 "), "pk_2");
});

Deno.test("createAuthenticator() takes nothing else", async () => {
  assertEquals(await find(null), undefined);
  assertEquals(await find(""), undefined);
  assertEquals(await find("sk_0123456789abcdef"), undefined);
  assertEquals(await find("Bearer"), undefined);
  assertEquals(await find("Bearer "), undefined);
  assertEquals(await find("Bearer pk_1"), undefined);
  assertEquals(await find("Bearer sk_0123456789abcde"), undefined);
  assertEquals(await find("Bearer sk_0123456789abcdefg"), undefined);
  assertEquals(await find("Bearer sk_0123456789abcdeF"), undefined);
  assertEquals(await find("Bearer sk_0123456789abcdef, sk_0123456789abcdef"), undefined);
  assertEquals(await find("Digest sk_0123456789abcdef"), undefined);
  assertEquals(await find(`Basic ${btoa("sk_0123456789abcdef:")}`), undefined);
  assertEquals(await find(`Basic ${btoa("sk_0123456789abcdef")}`), undefined);
  assertEquals(await find("Basic %%%"), undefined);
  assertEquals(await find(`Basic ${btoa("me:pk_1")}`), undefined);
  assertEquals(await find(`Bearer ${"a".repeat(1_000_000)}`), undefined);
});

Deno.test("createAuthenticator() says which secrets of a key open what single people did", async () => {
  const { secretKey: _, ...blog } = BLOG;
  const reportSecrets = {
    agency: { secret: "sk_agency_0123456789" },
    owner: { secret: "sk_owner_0123456789", mayReadPeople: true },
  };
  const { find } = createAuthenticator([SHOP, { ...blog, reportSecrets }], Date.now);
  const read = async (secret: string): Promise<unknown> => {
    const found = await find(`Bearer ${secret}`, undefined);
    return "key" in found ? [found.key.apiKey, found.mayReadPeople] : found.code;
  };

  assertEquals(await read(SHOP.secretKey), ["pk_1", true]);
  assertEquals(await read("sk_agency_0123456789"), ["pk_2", false]);
  assertEquals(await read("sk_owner_0123456789"), ["pk_2", true]);
  assertEquals(await read("agency"), "unauthorized");
});

Deno.test("createAuthenticator() refuses named secrets as it does others, and a key without any", () => {
  const { secretKey: _, ...blog } = BLOG;
  const problemOf = (secret: string): string =>
    assertThrows(() => createAuthenticator([SHOP, { ...blog, reportSecrets: { a: { secret } } }], Date.now), TypeError)
      .message;

  assertEquals(problemOf("short"), "keys[1].reportSecrets[0] must have at least 16 characters");
  assertEquals(problemOf(SHOP.secretKey), "keys[1].reportSecrets[0] is used twice");
  assertThrows(
    () => createAuthenticator([SHOP, blog], Date.now),
    TypeError,
    "keys[1] must have a secretKey, or reportSecrets",
  );
});

Deno.test("createAuthenticator() refuses secrets that protect nothing, without repeating them", () => {
  const withSecret = (secretKey: string): ReportKey => ({ ...BLOG, secretKey });

  assertThrows(() => createAuthenticator([], Date.now), TypeError, "keys must name at least one key");
  assertThrows(
    () => createAuthenticator([SHOP, withSecret("sk_short")], Date.now),
    TypeError,
    "keys[1].secretKey must have at least 16 characters",
  );
  assertThrows(
    () => createAuthenticator([SHOP, withSecret("aaaaaaaaaaaaaaaa")], Date.now),
    TypeError,
    "keys[1].secretKey must have at least 6 different characters",
  );
  assertThrows(
    () => createAuthenticator([SHOP, withSecret("sk 0123456789abcdef")], Date.now),
    TypeError,
    "keys[1].secretKey must be printable ASCII without spaces",
  );
  assertThrows(
    () => createAuthenticator([SHOP, withSecret(SHOP.secretKey)], Date.now),
    TypeError,
    "keys[1].secretKey is used twice",
  );
  assertThrows(
    () => createAuthenticator([{ ...SHOP, apiKey: BLOG.secretKey }, BLOG], Date.now),
    TypeError,
    "keys[1].secretKey must not be a publishable key",
  );
});

Deno.test("createReports() lets a reader leave, so that the browser asks for a secret again, and takes that of another key", async () => {
  const other = { apiKey: "pk_other", secretKey: "sk_other_0123456789", origins: ["https://other.example"] };
  let wrong = 0;
  const reports = await createTestReports([], { keys: [TEST_KEY, other], onWrongSecret: () => wrong += 1 });
  const open = async (search: string, secret: string): Promise<Response> =>
    await reports(new Request(REPORTS_URL + search, { headers: { Authorization: `Basic ${btoa(`me:${secret}`)}` } })) ??
      Response.error();

  const page = await (await open("", SECRET)).text();
  const [, link = ""] = /<a href="([^"]*)">Leave/.exec(page) ?? [];
  const left = await open(link, SECRET);
  const back = await open(link, other.secretKey);

  assertEquals([link, left.status, left.headers.get("WWW-Authenticate")], [
    "?leave=pk_test_1",
    401,
    'Basic realm="Reports", charset="UTF-8"',
  ]);
  assertEquals([back.status, back.headers.get("Location"), back.headers.get("Cache-Control")], [303, "?", "no-store"]);
  assertEquals([(await left.text()).includes('<a href="?">'), await back.text(), wrong], [true, "", 0]);
  assertEquals([await statusOf(open("?leave=pk_test_1", "sk_wrong_0123456789")), wrong], [401, 1]);
});
