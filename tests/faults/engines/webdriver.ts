/** A WebDriver session (W3C WebDriver). */
export interface WebDriverSession {
  /** Runs a command of the session. */
  call(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<unknown>;
}

/** Longest start of a session, and longest command, in milliseconds. */
const START_LIMIT_MS = 30_000;
const COMMAND_LIMIT_MS = 90_000;

/** Starts a session. */
export async function startSession(driver: string, capabilities: object): Promise<WebDriverSession> {
  const value = await command("POST", `${driver}/session`, { capabilities: { alwaysMatch: capabilities } });
  const { sessionId } = value as { readonly sessionId: string };
  return { call: (method, path, body) => command(method, `${driver}/session/${sessionId}${path}`, body) };
}

async function command(method: string, url: string, body?: object): Promise<unknown> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), url.endsWith("/session") ? START_LIMIT_MS : COMMAND_LIMIT_MS);
  try {
    const response = await fetch(url, {
      method,
      signal: abort.signal,
      ...(method === "POST" && { body: JSON.stringify(body ?? {}) }),
    });
    const { value } = await response.json();
    if (value?.error) throw new Error(`${method} ${url}: ${value.error}: ${value.message}`);
    return value;
  } finally {
    clearTimeout(timer);
  }
}
