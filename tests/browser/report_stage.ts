import axe from "axe-core";
import { assertEquals } from "@std/assert";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import {
  createFileReader,
  createFileSink,
  createReports,
  type ReportKey,
  type StoredEvent,
} from "../../src/ingest/mod.ts";
import { CHROMIUM_ARGS, CHROMIUM_PATH } from "./chromium.ts";

/** What a test of the report page has at hand. */
export interface ReportStage {
  /** Opens a report in a browser profile of its own, by the secret key. The search begins with `?`, or is empty. */
  open(search: string, options?: BrowserContextOptions): Promise<Page>;
}

/** Registers a test of the report page. */
export type ReportTest = (name: string, run: (stage: ReportStage) => Promise<void>) => void;

/** Settings of {@linkcode createReportTest}. */
export interface ReportTestOptions {
  /** What the store holds. */
  readonly events: readonly StoredEvent[];
  /** Registered sites. */
  readonly sites: readonly string[];
  /** Further settings of the key. */
  readonly key?: Pick<ReportKey, "goals" | "notes">;
  /** Current day. */
  readonly today: string;
}

/** Screens that the page is made for. */
export const SCREENS = {
  phone: { width: 390, height: 844 },
  tablet: { width: 768, height: 1024 },
  desktop: { width: 1280, height: 800 },
} as const;

const API_KEY = "pk_test_1";

const SECRET_KEY = "sk_test_0123456789";

/** Reports behind a server. */
interface ReportServer {
  readonly origin: string;
  close(): Promise<void>;
}

/** Launches Chromium and stores the events once for the tests of a file. What a page writes to its console fails them. */
export function createReportTest(options: ReportTestOptions): ReportTest {
  let started: { readonly browser: Browser; readonly server: ReportServer } | undefined;
  Deno.test.beforeAll(async () => {
    const server = await startReports(options);
    const browser = await chromium.launch({ executablePath: CHROMIUM_PATH, args: [...CHROMIUM_ARGS] });
    started = { browser, server };
  });
  Deno.test.afterAll(async () => {
    await started?.browser.close();
    await started?.server.close();
  });
  return (name, run) =>
    Deno.test(name, async () => {
      if (!started) throw new Error("Chromium wasn't launched");
      await withPages(started.browser, started.server.origin, run);
    });
}

async function startReports({ events, sites, today, key }: ReportTestOptions): Promise<ReportServer> {
  const directory = await Deno.makeTempDir();
  const path = `${directory}/events`;
  const sink = await createFileSink({ path });
  await sink.store({ apiKey: API_KEY, events });
  const reader = createFileReader({ path });
  const reports = createReports({
    keys: [{ apiKey: API_KEY, secretKey: SECRET_KEY, origins: sites, pageviewAllowance: 100_000, ...key }],
    reader,
    now: () => Date.parse(today),
  });
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => await reports(request) ?? new Response(null, { status: 404 }),
  );
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    close: async () => {
      await server.shutdown();
      await reader.close();
      await sink.close();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

async function withPages(
  browser: Browser,
  origin: string,
  run: (stage: ReportStage) => Promise<void>,
): Promise<void> {
  const messages: string[] = [];
  const contexts: { close(): Promise<void> }[] = [];
  try {
    await run({
      open: async (search, options = {}) => {
        const httpCredentials = { username: "reader", password: SECRET_KEY };
        const context = await browser.newContext({ viewport: SCREENS.desktop, httpCredentials, ...options });
        contexts.push(context);
        const page = await context.newPage();
        // Chromium writes of every answer of 400 and above; what matters is a policy that was broken, or a script.
        page.on("console", (message) => {
          if (!message.text().startsWith("Failed to load resource")) messages.push(message.text());
        });
        page.on("pageerror", (error) => messages.push(String(error)));
        page.on("dialog", (dialog) => {
          messages.push(`a dialog: ${dialog.message()}`);
          void dialog.dismiss();
        });
        await page.goto(`${origin}/reports${search}`, { waitUntil: "load" });
        return page;
      },
    });
    assertEquals(messages, []);
  } finally {
    for (const context of contexts) await context.close();
  }
}

/** Lists what axe finds wrong with a page by WCAG 2.2 A and AA and by its own best practices. */
export async function findAccessibilityFaults(page: Page): Promise<readonly string[]> {
  // Evaluated through the debugger, for the page's policy admits no script.
  await page.evaluate(axe.source);
  return await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
  });
}

/** Returns by how many CSS pixels a page is wider than its window. */
export function measureOverflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - globalThis.innerWidth);
}
