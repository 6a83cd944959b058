/**
 * The shop's own memory: who is signed in. The SDK doesn't store it, so the shop passes it on every load.
 *
 * @module
 */
const USER_KEY = "tidewater.user";

/** Returns who is signed in, or null. */
export function readUser(): string | null {
  return read(USER_KEY);
}

/** Saves who is signed in; null for nobody. */
export function saveUser(userId: string | null): void {
  write(USER_KEY, userId);
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // Browsers that block storage throw: then all this holds for this page alone.
    return null;
  }
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // As in read(): blocked storage throws, a full one too.
  }
}
