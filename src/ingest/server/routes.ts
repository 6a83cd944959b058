import type { Registry } from "prom-client";
import type { EventSink } from "../sinks/sink.ts";
import type { Sender } from "./sender.ts";

/** Answers a request, or leaves it to another one. */
export type Route = (request: Request, sender: Sender) => Promise<Response | undefined>;

/** What the operator's endpoints look at. */
export interface StatusOptions {
  /** Asked whether it can take events. */
  readonly sink: EventSink;
  /** Whether the server is about to end. */
  readonly isStopping: () => boolean;
  /** Holds the metrics. */
  readonly registry: Registry;
  /** Hears why the sink isn't ready. */
  readonly onUnready: (error: unknown) => void;
}

/** How long the sink may take to say that it is ready, in milliseconds. */
const CHECK_LIMIT_MS = 5_000;

/**
 * Creates the endpoints for whoever runs the server: `/healthz` says that the process answers, `/readyz` that it can
 * store events, `/metrics` what it did.
 */
export function createStatusRoute({ sink, isStopping, registry, onUnready }: StatusOptions): Route {
  let reading: Promise<string> | undefined;

  /** Reads the metrics, once for all who ask meanwhile: that takes longer than an answer. */
  function readMetrics(): Promise<string> {
    return reading ??= registry.metrics().finally(() => reading = undefined);
  }

  async function isReady(): Promise<boolean> {
    if (isStopping()) return false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("the sink didn't say in time whether it is ready")), CHECK_LIMIT_MS);
    });
    try {
      await Promise.race([sink.check?.(), limit]);
      return true;
    } catch (error) {
      onUnready(error);
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  return async (request) => {
    // Events come with POST, and many of them: their address is looked at once, by the ingest.
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    const { pathname } = new URL(request.url);
    if (pathname === "/healthz") return answerText("ok\n");
    if (pathname === "/metrics") return answerText(await readMetrics(), { type: registry.contentType });
    if (pathname !== "/readyz") return undefined;
    return await isReady() ? answerText("ready\n") : answerText("not ready\n", { status: 503 });
  };
}

function answerText(text: string, { status = 200, type = "text/plain; charset=utf-8" } = {}): Response {
  return new Response(text, { status, headers: { "Content-Type": type, "Cache-Control": "no-store" } });
}
