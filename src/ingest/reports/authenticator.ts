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

  return {
    find: async (authorization, address = UNKNOWN_ADDRESS) => {
      // A browser's first request, which it makes to be asked for the secret, is no guess.
      if (!authorization) return UNAUTHORIZED;
      // Taken before the secret is looked at, and given back after: of many requests at a time each one counts.
      const waitMs = limit.take(address);
      if (waitMs > 0 && address !== UNKNOWN_ADDRESS) return buildLimited(waitMs);
      const key = await secrets.find(authorization);
      if (key === undefined) return waitMs > 0 ? buildLimited(waitMs) : UNAUTHORIZED;
      if (waitMs === 0) limit.giveBack(address);
      return key;
    },
  };
}

function buildLimited(waitMs: number): Problem {
  const message = "too many wrong secret keys, try again later";
  return { status: 429, code: "rate_limited", message, retryAfterS: Math.ceil(waitMs / 1000) };
}
