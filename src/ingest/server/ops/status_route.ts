import type { Registry } from "prom-client";

/** The state that the operator's endpoints show. */
export interface StatusOptions {
  /** Returns whether work can be done. */
  readonly isReady: () => Promise<boolean>;
  /** Holds the metrics that are shown; absent where they aren't. */
  readonly registry: Registry | undefined;
}

/**
 * Creates the endpoints for the operator: `/healthz` says that the process answers, `/readyz` that it can
 * do its work, `/metrics` what it did.
 */
export function createStatusRoute(
  { isReady, registry }: StatusOptions,
): (request: Request) => Promise<Response | undefined> {
  let reading: Promise<string> | undefined;

  /** Reads the metrics, once for all who ask meanwhile: that takes longer than an answer. */
  function readMetrics(registry: Registry): Promise<string> {
    return reading ??= registry.metrics().finally(() => reading = undefined);
  }

  return async (request) => {
    // Events come with POST, and many of them: their address is looked at once, by the ingest.
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    const { pathname } = new URL(request.url);
    if (pathname === "/healthz") return answerText("ok\n");
    if (pathname === "/metrics" && registry) {
      return answerText(await readMetrics(registry), { type: registry.contentType });
    }
    if (pathname !== "/readyz") return undefined;
    return await isReady() ? answerText("ready\n") : answerText("not ready\n", { status: 503 });
  };
}

/** Creates what answers at a port that has these endpoints alone; it never rejects. */
export function createOperatorHandler(
  options: StatusOptions,
): (request: { readonly toRequest: () => Request }) => Promise<Response> {
  const answer = createStatusRoute(options);
  return async ({ toRequest }) =>
    await answer(toRequest()).catch(() => undefined) ?? answerText("not found\n", { status: 404 });
}

function answerText(text: string, { status = 200, type = "text/plain; charset=utf-8" } = {}): Response {
  return new Response(text, { status, headers: { "Content-Type": type, "Cache-Control": "no-store" } });
}
