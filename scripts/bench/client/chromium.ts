import { connectDevTools } from "./devtools.ts";

/** Where Chromium is. */
const CHROMIUM_PATH = Deno.env.get("CHROMIUM") ?? "/usr/bin/chromium";

/** A page, in a profile of its own. */
export interface Page {
  /** Evaluates an expression, and awaits it if it's a promise. */
  evaluate<T>(expression: string): Promise<T>;
  /** Calls a method of the DevTools protocol for the page. */
  send(method: string, params?: object): Promise<unknown>;
  /** Returns the processor time of the page's main thread so far, in milliseconds. */
  readCpuMs(): Promise<number>;
  /** Collects the page's garbage, so that what comes next isn't held up by it. */
  collectGarbage(): Promise<void>;
  /** Ends the page and its profile. */
  dispose(): Promise<void>;
}

/** A browser. */
export interface Chromium {
  /** Its version, and whether it goes before other programs. */
  readonly version: string;
  /** Opens a page and waits until it's loaded. */
  open(url: string): Promise<Page>;
  /** Whether it has gone by itself. */
  isGone(): boolean;
  /** Ends it and removes its profile. */
  close(): Promise<void>;
}

const ARGS: readonly string[] = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--remote-debugging-port=0",
  // Nothing leaves this machine.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
];

const CALL_LIMIT_MS = 90_000;
/** One collection leaves what its finalizers let go. */
const COLLECTIONS = 3;

/** Has the system run Chromium before any other program, where it may: then others can hardly make a call longer. */
const PRIORITY: readonly string[] = ["chrt", "-r", "10"];

/** Starts Chromium. */
export async function startChromium(): Promise<Chromium> {
  const profile = await Deno.makeTempDir({ prefix: "vendor_sdk_bench_" });
  const isFirst = await canRun([...PRIORITY, "true"]);
  const [command = "", ...args] = [...isFirst ? PRIORITY : [], CHROMIUM_PATH, ...ARGS];
  const child = new Deno.Command(command, {
    args: [...args, `--user-data-dir=${profile}`, "about:blank"],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const devTools = await connectDevTools(await findAddress(child.stderr));
  const call = async <T>(method: string, params?: object, sessionId?: string): Promise<T> =>
    await within(devTools.send(method, params, sessionId), method) as T;
  const { product, userAgent } = await call<{ product: string; userAgent: string }>("Browser.getVersion");

  async function open(url: string): Promise<Page> {
    const { browserContextId } = await call<{ browserContextId: string }>("Target.createBrowserContext");
    const { targetId } = await call<{ targetId: string }>("Target.createTarget", {
      url: "about:blank",
      browserContextId,
    });
    const { sessionId } = await call<{ sessionId: string }>("Target.attachToTarget", { targetId, flatten: true });
    const send = <T>(method: string, params?: object): Promise<T> => call<T>(method, params, sessionId);
    const page: Page = {
      send,
      async evaluate<T>(expression: string): Promise<T> {
        const { result, exceptionDetails } = await send<Evaluation>("Runtime.evaluate", {
          expression,
          awaitPromise: true,
          returnByValue: true,
        });
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value as T;
      },
      async readCpuMs() {
        const { metrics } = await send<{ metrics: { name: string; value: number }[] }>("Performance.getMetrics");
        return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? NaN) * 1000;
      },
      async collectGarbage() {
        for (let i = 0; i < COLLECTIONS; i++) await send("HeapProfiler.collectGarbage");
      },
      dispose: () => call("Target.disposeBrowserContext", { browserContextId }),
    };
    // Several SDKs take a headless browser for a bot, and send nothing.
    await send("Emulation.setUserAgentOverride", { userAgent: userAgent.replace("Headless", "") });
    // Processor time, which other programs hardly change; not the time on the wall.
    await send("Performance.enable", { timeDomain: "threadTicks" });
    await send("Page.navigate", { url });
    await page.evaluate(
      `new Promise((done) => document.readyState === "complete" ? done() : addEventListener("load", () => done()))`,
    );
    return page;
  }

  return {
    version: isFirst ? `${product} with real-time priority` : product,
    open,
    isGone: () => devTools.isClosed(),
    async close() {
      devTools.close();
      try {
        child.kill("SIGTERM");
      } catch {
        // It has gone by itself.
      }
      await child.status;
      // Its children may write for a moment after it has ended.
      await new Promise((resolve) => setTimeout(resolve, 500));
      await Deno.remove(profile, { recursive: true }).catch(() => {});
    },
  };
}

async function canRun([command = "", ...args]: readonly string[]): Promise<boolean> {
  const { success } = await new Deno.Command(command, { args }).output().catch(() => ({ success: false }));
  return success;
}

interface Evaluation {
  readonly result: { readonly value?: unknown };
  readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } };
}

async function findAddress(output: ReadableStream<Uint8Array>): Promise<string> {
  const reader = output.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    text += decoder.decode(chunk.value, { stream: true });
    const address = /ws:\/\/\S+/.exec(text)?.[0];
    if (!address) continue;
    reader.releaseLock();
    void output.pipeTo(new WritableStream()); // a full pipe would stop the browser
    return address;
  }
  throw new Error(`Chromium doesn't start: ${text}`);
}

async function within<T>(result: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} takes too long`)), CALL_LIMIT_MS);
  });
  try {
    return await Promise.race([result, limit]);
  } finally {
    clearTimeout(timer);
  }
}
