import { createGuessLimit } from "./guess_limit.ts";
import type { ReportKey } from "./options.ts";
import type { Problem } from "./problem.ts";
import { createSecretKeys } from "./secret_keys.ts";

/** Says who may read reports. */
export interface Authenticator {
  /** Finds the key whose secret the header `Authorization` carries, or says why there is none. */
  find(authorization: string | null, address: string | undefined): Promise<ReportKey | Problem>;
}

/** Those whose address isn't known share one. */
const UNKNOWN_ADDRESS = "";

const UNAUTHORIZED: Problem = {
  status: 401,
  code: "unauthorized",
  message: "send the secret key as the password of Basic credentials, with any user name, or as a Bearer token",
};

/**
 * Creates the check of secrets, with a limit for wrong ones. An address that has used its tries up isn't listened to
 * for a while, whatever it sends: else it could go on guessing. Addresses don't lock each other out, and where the
 * address isn't known, nobody is locked out of what the right secret opens.
 *
 * @throws {TypeError} When there is no key, or a secret that is weak, publishable or used twice.
 */
export function createAuthenticator(keys: readonly ReportKey[], now: () => number): Authenticator {
  const secrets = createSecretKeys(keys);
  const limit = createGuessLimit(now);
  let last: Promise<unknown> = Promise.resolve();

  async function check(authorization: string, address: string): Promise<ReportKey | Problem> {
    const waitMs = limit.take(address);
    if (waitMs > 0 && address !== UNKNOWN_ADDRESS) return buildLimited(waitMs);
    const key = await secrets.find(authorization);
    if (key === undefined) return waitMs > 0 ? buildLimited(waitMs) : UNAUTHORIZED;
    if (waitMs === 0) limit.giveBack(address);
    return key;
  }

  return {
    find: (authorization, address = UNKNOWN_ADDRESS) => {
      // A browser's first request, which it makes to be asked for the secret, is no guess.
      if (!authorization) return Promise.resolve(UNAUTHORIZED);
      // One after the other: of many at a time each wrong one counts, and no right one.
      const found = last.then(() => check(authorization, address));
      last = found.catch(() => {}); // whoever asked hears of it
      return found;
    },
  };
}

function buildLimited(waitMs: number): Problem {
  const message = "too many wrong secret keys, try again later";
  return { status: 429, code: "rate_limited", message, retryAfterS: Math.ceil(waitMs / 1000) };
}
