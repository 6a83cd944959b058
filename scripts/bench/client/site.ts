import { buildSampleProperties } from "./sample_properties.ts";

/** The site whose pages run the SDKs. */
export interface Site {
  /** Its origin. */
  readonly origin: string;
  /** Makes the files of an SDK available at `/bundles/<name>/`. */
  publish(name: string, files: ReadonlyMap<string, string>): void;
  /** Ends it. */
  close(): Promise<void>;
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Bench page</title>
<link rel="icon" href="data:,">
<h1>Bench</h1>
<script>
globalThis.buildProperties = ${buildSampleProperties};
globalThis.longTasks = [];
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) longTasks.push({ startTime, duration });
}).observe({ type: "longtask", buffered: true });
</script>
`;

/** Pages that are isolated have a clock of 5 microseconds; others one of 100, which is long beside a call. */
const PAGE_HEADERS = {
  "Content-Type": "text/html",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** Starts a site on a free port. */
export function startSite(): Site {
  const scripts = new Map<string, string>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith("/bundles/")) return new Response(PAGE, { headers: PAGE_HEADERS });
    const text = scripts.get(pathname);
    if (text === undefined) return new Response(null, { status: 404 });
    return new Response(text, { headers: { "Content-Type": "text/javascript", "Cache-Control": "max-age=600" } });
  });
  return {
    origin: `http://localhost:${server.addr.port}`,
    publish(name, files) {
      for (const [file, text] of files) scripts.set(`/bundles/${name}/${file}`, text);
    },
    close: () => server.shutdown(),
  };
}
