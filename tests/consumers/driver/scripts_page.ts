/** A page with several scripts, and what they sent to its server. */
export interface ScriptsPage {
  /** Origin, without a path. */
  readonly origin: string;
  /** Paths of the pageviews that Plausible's script sent. */
  plausibleViews(): readonly string[];
  /** Ends it. */
  close(): Promise<void>;
}

/** Serves a page that loads the scripts of a directory in this order. */
export function startPage(directory: string, scripts: readonly string[]): ScriptsPage {
  const views: string[] = [];
  const tags = scripts.map((name) => `<script src="/${name}.js"></script>`).join("");
  const html = `<!doctype html><title>Shop</title><link rel="icon" href="data:,">${tags}`;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/plausible") {
      const { n, u } = await request.json();
      if (n === "pageview") views.push(new URL(u).pathname);
      return new Response("ok", { status: 202 });
    }
    if (pathname === "/datadog") {
      await request.text();
      return new Response(null, { status: 202 });
    }
    if (!pathname.endsWith(".js")) return new Response(html, { headers: { "Content-Type": "text/html" } });
    return new Response(await Deno.readFile(directory + pathname), { headers: { "Content-Type": "text/javascript" } });
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    plausibleViews: () => views,
    close: () => server.shutdown(),
  };
}
