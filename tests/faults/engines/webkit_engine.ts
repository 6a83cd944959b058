import { findFreePort } from "../../support/free_port.ts";
import { poll } from "../pauses.ts";
import { type Engine, refuse, type Tab, type Visitor } from "./engine.ts";
import { startSession, type WebDriverSession } from "./webdriver.ts";

/** Programs that the launcher of the suite found. */
const WEBKIT_PATHS: Readonly<Record<"driver" | "browser" | "display", string>> = {
  driver: Deno.env.get("WEBKIT_DRIVER") ?? "/usr/bin/WebKitWebDriver",
  browser: Deno.env.get("WEBKIT") ?? "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
  display: Deno.env.get("XVFB") ?? "/usr/bin/Xvfb",
};

/** Longest start of the driver, and longest way back to a page, in milliseconds. */
const LIMIT_MS = 10_000;

const CAPABILITIES = {
  browserName: "MiniBrowser",
  "webkitgtk:browserOptions": { binary: WEBKIT_PATHS.browser, args: ["--automation"] },
};

/** How often a driver is started that doesn't come up with a browser, as happens on a busy machine. */
const MAX_STARTS = 4;

/** Launches WebKitGTK on a display of its own; each visitor has a driver and a browser. */
export async function launchWebKit(): Promise<Engine> {
  let display = await startDisplay();
  return {
    name: "webkit",
    newVisitor: async () => {
      // Without its display no browser would ever start, and each visitor would wait for that in vain.
      if (display.hasEnded()) display = await startDisplay();
      return await createVisitor(await startBrowser(display.number));
    },
    close: () => display.end(),
  };
}

/** A virtual X display. */
interface Display {
  readonly number: string;
  hasEnded(): boolean;
  end(): Promise<void>;
}

async function startDisplay(): Promise<Display> {
  const display = new Deno.Command(WEBKIT_PATHS.display, {
    args: ["-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let hasEnded = false;
  display.status.then(() => hasEnded = true);
  return { number: await readLine(display.stdout), hasEnded: () => hasEnded, end: () => endProcess(display) };
}

/** A browser, and the end of it. */
interface WebKit {
  readonly session: WebDriverSession;
  end(): Promise<void>;
}

async function startBrowser(display: string, start = 1): Promise<WebKit> {
  const port = findFreePort();
  const driver = new Deno.Command(WEBKIT_PATHS.driver, {
    args: [`--port=${port}`],
    env: { DISPLAY: `:${display}`, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const end = (): Promise<void> => endProcess(driver);
  try {
    const address = `http://127.0.0.1:${port}`;
    if (!await poll(() => answers(`${address}/status`), LIMIT_MS)) throw new Error("WebKitWebDriver doesn't answer");
    return { session: await startSession(address, CAPABILITIES), end };
  } catch (error) {
    await end();
    if (start === MAX_STARTS) throw error;
    return await startBrowser(display, start + 1);
  }
}

async function endProcess(child: Deno.ChildProcess): Promise<void> {
  try {
    child.kill("SIGTERM");
  } catch {
    // It has ended on its own.
  }
  await child.status;
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false; // the driver hasn't opened its port yet
  }
}

async function createVisitor({ session, end }: WebKit): Promise<Visitor> {
  const kept = await session.call("GET", "/window");
  /** Runs commands in a tab: a session has one current tab, and commands of two tabs must not mix. */
  let queue: Promise<unknown> = Promise.resolve();
  const inTab = <T>(handle: unknown, run: () => Promise<T>): Promise<T> => {
    const result = queue.then(async () => {
      await session.call("POST", "/window", { handle });
      return await run();
    });
    queue = result.catch(() => {});
    return result;
  };
  return {
    async open(url) {
      // A new tab would be hidden behind the first one, a window isn't.
      const { handle } = await inTab(kept, () => session.call("POST", "/window/new", { type: "window" })) as {
        readonly handle: unknown;
      };
      const tab = createTab(session, (run) => inTab(handle, run));
      await tab.goto(url);
      return tab;
    },
    setOffline: refuse("WebKitWebDriver can't take the network away"),
    async close() {
      await session.call("DELETE", "").catch(() => {}); // the browser may be gone with a page of it
      await end();
    },
  };
}

type Runner = <T>(run: () => Promise<T>) => Promise<T>;

function createTab({ call }: WebDriverSession, run: Runner): Tab {
  const evaluate = (script: string): Promise<unknown> =>
    run(() => call("POST", "/execute/sync", { script: `return ${script}`, args: [] }));
  const isAt = (path: string): Promise<boolean> =>
    evaluate("location.pathname").then((now) => now === path, () => false);
  return {
    goto: async (url) => void await run(() => call("POST", "/url", { url })),
    evaluate: async <T>(script: string) => await evaluate(script) as T,
    reload: async () => void await run(() => call("POST", "/refresh")),
    async back(path) {
      await run(() => call("POST", "/back"));
      if (!await poll(() => isAt(path), LIMIT_MS)) throw new Error(`didn't come back to ${path}`);
    },
    close: async () => void await run(() => call("DELETE", "/window")),
    crash: refuse("WebKitWebDriver ends the session with a page that crashes, and its storage goes with it"),
    hide: async () => void await run(() => call("POST", "/window/minimize")),
    show: async () => void await run(() => call("POST", "/window/rect", { x: 0, y: 0, width: 800, height: 600 })),
  };
}

/** Reads up to the end of a line, which Xvfb writes apart, and ends when nobody takes it. */
async function readLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  let text = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += new TextDecoder().decode(read.value);
    if (text.endsWith("\n")) break;
  }
  await reader.cancel();
  return text.trim();
}
