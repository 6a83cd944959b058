/** A WebDriver session (W3C WebDriver). */
export interface WebDriverSession {
  /** Runs a command of the session. */
  call(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<unknown>;
}

/** Longest command, in milliseconds. */
const COMMAND_LIMIT_MS = 30_000;

/** Starts a session. */
export async function startSession(driver: string, capabilities: object): Promise<WebDriverSession> {
  const value = await command(driver, "POST", "/session", { capabilities: { alwaysMatch: capabilities } });
  const { sessionId } = value as { readonly sessionId: string };
  return { call: (method, path, body) => command(driver, method, `/session/${sessionId}${path}`, body) };
}

async function command(driver: string, method: string, path: string, body?: object): Promise<unknown> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), COMMAND_LIMIT_MS);
  try {
    const response = await fetch(driver + path, {
      method,
      signal: abort.signal,
      ...(method === "POST" && { body: JSON.stringify(body ?? {}) }),
    });
    const { value } = await response.json();
    if (value?.error) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  } finally {
    clearTimeout(timer);
  }
}
