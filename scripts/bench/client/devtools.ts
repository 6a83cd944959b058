/** A connection to Chromium by the DevTools protocol. */
export interface DevTools {
  /** Calls a method, of a target if a session is named. Rejects where it fails, or the connection ends. */
  send(method: string, params?: object, sessionId?: string): Promise<unknown>;
  /** Whether the connection has ended. */
  isClosed(): boolean;
  /** Ends it. */
  close(): void;
}

interface Call {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly sessionId: string | undefined;
}

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
  readonly method?: string;
  readonly params?: { readonly sessionId?: string };
  readonly sessionId?: string;
}

/**
 * Connects to Chromium. A client of our own rather than Playwright's: that one listens to the network of each page, so
 * that every request costs the page more, and what is measured here is mostly requests.
 */
export async function connectDevTools(url: string): Promise<DevTools> {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error("no connection to Chromium"));
  });
  const calls = new Map<number, Call>();
  let lastId = 0;
  const fail = (message: string, isMeant: (call: Call) => boolean): void => {
    for (const [id, call] of calls) {
      if (!isMeant(call)) continue;
      calls.delete(id);
      call.reject(new Error(message));
    }
  };
  socket.onmessage = ({ data }) => {
    const { id = 0, result, error, method, params, sessionId } = JSON.parse(data) as Message;
    if (method === "Inspector.targetCrashed") fail("the page crashed", (call) => call.sessionId === sessionId);
    if (method === "Target.detachedFromTarget") {
      fail("the page is gone", (call) => call.sessionId === params?.sessionId);
    }
    const call = calls.get(id);
    calls.delete(id);
    if (error) call?.reject(new Error(error.message));
    else call?.resolve(result);
  };
  socket.onclose = () => fail("Chromium is gone", () => true);
  return {
    send: (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        calls.set(++lastId, { resolve, reject, sessionId });
        socket.send(JSON.stringify({ id: lastId, method, params, ...(sessionId && { sessionId }) }));
      }),
    isClosed: () => socket.readyState !== WebSocket.OPEN,
    close: () => socket.close(),
  };
}
